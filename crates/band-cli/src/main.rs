//! The `band` binary: the platform in one command, agents, people, and what they need to find each other.

mod admin;
mod agent_add;
mod agent_run;
mod browser;
mod data_dir;
mod demo;
mod demo_agent;
mod demo_setup;
mod env;
mod exit;
mod listen;
mod output;
mod platform;
mod print;
mod private_file;
mod serve;
mod shell;
mod signals;
mod telemetry;
mod tools;
mod up;
mod user;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};

use crate::exit::{Code, EXIT_CODES, Exit, exit_of, line_of};
use crate::telemetry::Telemetry;

/// How long a thread that blocks may hold up the end of the program.
const LAST: Duration = Duration::from_secs(1);

/// Rooms where people and agents talk: the platform, its page, and agents, in one program.
#[derive(Debug, Parser)]
#[command(name = "band", version, after_help = EXIT_CODES, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Up(up::Up),
    Serve(serve::Serve),
    Env(env::Env),
    Tools(tools::Tools),
    /// Run an agent, or register one.
    #[command(subcommand, arg_required_else_help = true)]
    Agent(AgentCommand),
    /// Add a person, or print a link that signs one in.
    #[command(subcommand, arg_required_else_help = true)]
    User(UserCommand),
}

#[derive(Debug, Subcommand)]
enum AgentCommand {
    Run(agent_run::AgentRun),
    Add(agent_add::AgentAdd),
}

#[derive(Debug, Subcommand)]
enum UserCommand {
    Add(user::UserAdd),
    Link(user::UserLink),
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(err) => return told(&err),
    };
    match run(cli.command) {
        Ok(code) => code.into(),
        Err(error) => failed(&error),
    }
}

fn failed(error: &anyhow::Error) -> ExitCode {
    print::err(&format!("error: {}", line_of(error)));
    exit_of(error).into()
}

/// What the argument parser has to say: help and version are no errors.
fn told(err: &clap::Error) -> ExitCode {
    // Nobody is left to tell when the output is closed.
    let _ = err.print();
    if err.use_stderr() { Exit::Usage.into() } else { Exit::Done.into() }
}

fn run(command: Command) -> Result<Code> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime's threads")?;
    // It talks to people by itself; every request besides would bury that.
    let quiet = matches!(command, Command::Up(_)).then_some("warn,band.agent=info");
    let done = runtime.block_on(async {
        let telemetry = Telemetry::start(quiet)?;
        let done = act(command).await;
        telemetry.end().await;
        done
    });
    // What is open is closed; but whoever blocks a thread must not keep the program from ending.
    runtime.shutdown_timeout(LAST);
    done
}

async fn act(command: Command) -> Result<Code> {
    let exit = match command {
        Command::Up(up) => Box::pin(up.run()).await?,
        Command::Serve(serve) => serve.run().await?,
        Command::Env(env) => env.run()?,
        Command::Tools(tools) => tools.run()?,
        Command::Agent(AgentCommand::Run(run)) => return Box::pin(run.run()).await,
        Command::Agent(AgentCommand::Add(add)) => add.run().await?,
        Command::User(UserCommand::Add(add)) => add.run().await?,
        Command::User(UserCommand::Link(link)) => link.run().await?,
    };
    Ok(exit.into())
}
