//! What a developer says about the system prompt.

use band::Identity;
use band::prompt::SystemPrompt;
use band::tools::ToolSet;

/// What a developer says about the system prompt.
#[derive(Debug, Clone)]
pub(crate) struct Prompt {
    /// Comes last.
    pub(crate) instructions: Option<String>,
    /// Stands in place of everything else.
    pub(crate) whole: Option<String>,
    /// Whether models are told about rooms.
    pub(crate) include_base: bool,
}

impl Default for Prompt {
    fn default() -> Self {
        Self { instructions: None, whole: None, include_base: true }
    }
}

impl Prompt {
    /// The system prompt of this agent with these tools.
    pub(crate) fn render(&self, me: &Identity, tools: &ToolSet) -> String {
        if let Some(whole) = &self.whole {
            return whole.clone();
        }
        let mut prompt = SystemPrompt::new(me, tools.names()).base_instructions(self.include_base);
        if let Some(text) = &self.instructions {
            prompt = prompt.instructions(text.clone());
        }
        prompt.render()
    }
}

#[cfg(test)]
mod tests {
    use band::testing::FakeTools;

    use super::*;

    #[test]
    fn a_prompt_of_ones_own_stands_alone_and_instructions_come_last() {
        let room = FakeTools::new();
        let tools = room.tools();
        let render = |prompt: &Prompt| prompt.render(room.identity(), tools.tool_set());
        let mut prompt = Prompt { instructions: Some("Be brief.".into()), ..Prompt::default() };
        let whole = render(&prompt);
        assert!(whole.contains("Echo") && whole.ends_with("Be brief."), "{whole}");
        prompt.include_base = false;
        assert!(render(&prompt).len() < whole.len());
        prompt.whole = Some("Only this.".into());
        assert_eq!(render(&prompt), "Only this.");
    }
}
