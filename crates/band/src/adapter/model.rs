//! The model that an adapter works with, and what its provider offers.

use crate::error::{Error, Result};

/// What was chosen, in the provider's words. What is empty is left to the provider.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelSelection {
    /// The model.
    pub model: Option<String>,
    /// How hard it is to think.
    pub reasoning_effort: Option<String>,
}

/// The models that a provider advertises.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelCatalog {
    /// All of them.
    pub models: Vec<ModelChoice>,
    /// The one that is used when none is chosen, if it is known.
    pub current_model: Option<String>,
}

/// A model that is advertised.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelChoice {
    /// The provider's word for it.
    pub id: String,
    /// Its name for people.
    pub label: Option<String>,
    /// How hard it can be told to think; empty: it can't. None: nobody says.
    pub efforts: Option<Vec<String>>,
    /// How hard it thinks when it is not told.
    pub default_effort: Option<String>,
}

impl ModelSelection {
    /// Whether nothing was chosen.
    pub const fn is_empty(&self) -> bool {
        self.model.is_none() && self.reasoning_effort.is_none()
    }

    /// Compares with what is advertised. An effort without a model is meant for the current one.
    ///
    /// # Errors
    /// The model or the effort is not among it; the text lists what is.
    pub fn check(&self, catalog: &ModelCatalog) -> Result<()> {
        let find = |id: &str| catalog.models.iter().find(|one| one.id == id);
        if let Some(model) = &self.model
            && find(model).is_none()
        {
            let ids = listed(catalog.models.iter().map(|one| one.id.as_str()));
            return Err(refused(format!("model \"{model}\" is not advertised; available: {ids}")));
        }
        let model = self.model.as_ref().or(catalog.current_model.as_ref());
        let efforts = model.and_then(|id| find(id)).and_then(|known| known.efforts.as_ref());
        let (Some(model), Some(effort), Some(efforts)) = (model, &self.reasoning_effort, efforts) else {
            return Ok(());
        };
        if efforts.is_empty() {
            return Err(refused(format!("model \"{model}\" offers no reasoning effort")));
        }
        if efforts.contains(effort) {
            return Ok(());
        }
        let efforts = listed(efforts.iter().map(String::as_str));
        Err(refused(format!(
            "reasoning effort \"{effort}\" is not advertised for model \"{model}\"; available: {efforts}"
        )))
    }
}

const fn refused(text: String) -> Error {
    Error::ModelSelection(text)
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    if names.is_empty() { "(none)".to_owned() } else { names.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(id: &str, efforts: Option<&[&str]>) -> ModelChoice {
        let efforts = efforts.map(|all| all.iter().map(|one| (*one).to_owned()).collect());
        ModelChoice { id: id.to_owned(), efforts, ..ModelChoice::default() }
    }

    fn check(catalog: &ModelCatalog, model: Option<&str>, effort: Option<&str>) -> Result<(), String> {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let selection = ModelSelection { model: owned(model), reasoning_effort: owned(effort) };
        selection.check(catalog).map_err(|err| err.to_string())
    }

    #[test]
    fn what_is_not_advertised_is_refused_with_what_is() {
        let catalog = ModelCatalog {
            models: vec![
                choice("big", Some(&["low", "high"])),
                choice("small", Some(&[])),
                choice("dark", None),
            ],
            current_model: Some("big".to_owned()),
        };
        for (model, effort) in
            [(None, None), (None, Some("low")), (Some("big"), Some("high")), (Some("dark"), Some("max"))]
        {
            assert_eq!(check(&catalog, model, effort), Ok(()), "{model:?} {effort:?}");
        }
        let max =
            "reasoning effort \"max\" is not advertised for model \"big\"; available: low, high".to_owned();
        let table = [
            (Some("huge"), None, "model \"huge\" is not advertised; available: big, small, dark".to_owned()),
            (Some("big"), Some("max"), max.clone()),
            (None, Some("max"), max),
            (Some("small"), Some("low"), "model \"small\" offers no reasoning effort".to_owned()),
        ];
        for (model, effort, text) in table {
            assert_eq!(check(&catalog, model, effort), Err(text));
        }
    }

    #[test]
    fn without_a_current_model_an_effort_alone_is_not_checked_and_an_empty_catalog_offers_nothing() {
        let nothing = ModelCatalog::default();
        assert_eq!(check(&nothing, None, Some("max")), Ok(()));
        let text = "model \"big\" is not advertised; available: (none)".to_owned();
        assert_eq!(check(&nothing, Some("big"), None), Err(text));
    }
}
