//! `band user`: people.

use anyhow::Result;
use band_wire::rest::{CreateSignInLink, CreateUser};
use clap::Args;

use crate::admin::Admin;
use crate::data_dir::DataDir;
use crate::exit::{Exit, Failure};
use crate::output::{Output, Variables};
use crate::print;

/// Add a person and print their key. It is shown this once.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  band user add \"Ann Lee\"")]
pub(crate) struct UserAdd {
    /// What others call them; their handle is made of it
    name: String,
    #[command(flatten)]
    data: DataDir,
    /// How to print the key
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
}

impl UserAdd {
    pub(crate) async fn run(self) -> Result<Exit> {
        let admin = Admin::open(&self.data.resolve()?).await?;
        let created = admin.add_user(CreateUser { name: self.name }).await?;
        let mut variables = Variables::default();
        if let Some(base_url) = admin.base_url() {
            variables.set_addresses(base_url);
        }
        variables.set("BAND_USER_KEY", created.credentials.api_key);
        let who =
            format!("{} (@{}). The key is shown only now.", full_name(&created.user), created.user.handle);
        print::result(&variables.render(self.output, Some(&who)))?;
        Ok(Exit::Done)
    }
}

/// Print a link that signs a person in to the page. It works once.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  band user link ann-lee")]
pub(crate) struct UserLink {
    /// Their handle or id [default: the first person there is]
    user: Option<String>,
    #[command(flatten)]
    data: DataDir,
}

impl UserLink {
    pub(crate) async fn run(self) -> Result<Exit> {
        let data = self.data.resolve()?;
        let admin = Admin::open(&data).await?;
        let Some(base_url) = admin.base_url() else {
            let (dir, option) = (data.display(), self.data.as_option());
            return Err(Failure::with(
                Exit::Error,
                format!(
                    "data directory {dir}: no server runs on it, so a link would lead nowhere; start one with `band up{option}`"
                ),
            ));
        };
        let user = self.user.map(|user| user.trim_start_matches('@').to_owned());
        let link = admin.sign_in_link(CreateSignInLink { user }).await?;
        print::result(&sign_in_url(base_url, &link.token))?;
        Ok(Exit::Done)
    }
}

/// The address that signs in. The token stands in the fragment, which no browser sends anywhere.
pub(crate) fn sign_in_url(base_url: &str, token: &str) -> String {
    format!("{base_url}/#token={token}")
}

fn full_name(user: &band_wire::rest::UserDetails) -> String {
    let names = [user.first_name.as_deref(), user.last_name.as_deref()];
    let name = names.into_iter().flatten().collect::<Vec<_>>().join(" ");
    if name.is_empty() { user.handle.clone() } else { name }
}
