//! Scenario files, played with a small bot.

use std::path::Path;
use std::process::{Command, Stdio};

use discord_twin::{Report, Scenario, Twin};
use serenity::all::{
    ButtonStyle, ClientBuilder, CommandInteraction, ComponentInteraction, ComponentInteractionDataKind, Context,
    CreateActionRow, CreateAutocompleteResponse, CreateButton, CreateInputText, CreateInteractionResponse,
    CreateInteractionResponseMessage, CreateModal, CreateSelectMenu, CreateSelectMenuKind, CreateSelectMenuOption,
    EventHandler, GatewayIntents, HttpBuilder, InputTextStyle, Interaction, Message, ResolvedTarget, ResolvedValue,
};

use crate::Tested;

/// Opens a modal, shows the submitted text, and undoes it.
struct TaskBot;

#[serenity::async_trait]
impl EventHandler for TaskBot {
    async fn interaction_create(&self, context: Context, interaction: Interaction) {
        let http = &context.http;
        // Errors are ignored here: the scenario notices a missing answer.
        drop(match &interaction {
            Interaction::Autocomplete(typed) => typed.create_response(http, completions(typed)).await,
            Interaction::Command(command) => command.create_response(http, answer(command)).await,
            Interaction::Modal(modal) => modal.create_response(http, added(modal)).await,
            Interaction::Component(press) => press.create_response(http, taken_back(press)).await,
            _ => Ok(()),
        });
    }

    async fn message(&self, context: Context, message: Message) {
        if !message.content.is_empty() && (message.guild_id.is_none() || !message.mentions.is_empty()) {
            let heard = format!("heard {}", message.content);
            drop(message.channel_id.say(&context.http, heard).await);
        }
    }
}

fn completions(typed: &CommandInteraction) -> CreateInteractionResponse {
    let part = typed.data.autocomplete().map(|option| option.value).unwrap_or_default();
    let names = ["milk", "mint", "eggs"].into_iter().filter(|name| name.starts_with(part));
    let answer = names.fold(CreateAutocompleteResponse::new(), |answer, name| answer.add_string_choice(name, name));
    CreateInteractionResponse::Autocomplete(answer)
}

fn answer(command: &CommandInteraction) -> CreateInteractionResponse {
    let name = &command.data.name;
    match command.data.target() {
        Some(ResolvedTarget::User(user, _)) => return text(&format!("menu {name} on {}", user.name)),
        Some(ResolvedTarget::Message(message)) => return text(&format!("menu {name} on {}", message.content)),
        _ => {}
    }
    let options = command.data.options();
    let Some(ResolvedValue::SubCommand(given)) = options.first().map(|option| &option.value) else {
        return text("no subcommand");
    };
    if options.first().is_some_and(|option| option.name == "pick") {
        let options =
            vec![CreateSelectMenuOption::new("Milk", "value-0"), CreateSelectMenuOption::new("Eggs", "value-1")];
        let menu = CreateSelectMenu::new(format!("pick-{}", command.id), CreateSelectMenuKind::String { options });
        let message = CreateInteractionResponseMessage::new().content("Which?").select_menu(menu);
        return CreateInteractionResponse::Message(message);
    }
    let (mut who, mut count) = (None, None);
    for option in given {
        match &option.value {
            ResolvedValue::User(user, _) => who = Some(user.name.clone()),
            ResolvedValue::Integer(number) => count = Some(*number),
            _ => {}
        }
    }
    if let (Some(who), Some(count)) = (who, count) {
        return text(&format!("{count} for {who}"));
    }
    let title = if command.locale == "de" { "Neue Aufgabe" } else { "New task" };
    let input = CreateInputText::new(InputTextStyle::Short, "Title", "title");
    let modal = CreateModal::new("add", title).components(vec![CreateActionRow::InputText(input)]);
    CreateInteractionResponse::Modal(modal)
}

fn text(content: &str) -> CreateInteractionResponse {
    CreateInteractionResponse::Message(CreateInteractionResponseMessage::new().content(content))
}

fn added(modal: &serenity::all::ModalInteraction) -> CreateInteractionResponse {
    let title = match modal.data.components.first().and_then(|row| row.components.first()) {
        Some(serenity::all::ActionRowComponent::InputText(input)) => input.value.clone().unwrap_or_default(),
        _ => String::new(),
    };
    // The custom id differs each time, so that a scenario can only name the label.
    let undo = CreateButton::new(format!("undo-{}-{title}", modal.id)).label("Undo").style(ButtonStyle::Danger);
    let message = CreateInteractionResponseMessage::new().content(format!("Added {title}")).ephemeral(true);
    CreateInteractionResponse::Message(message.button(undo))
}

fn taken_back(press: &ComponentInteraction) -> CreateInteractionResponse {
    if let ComponentInteractionDataKind::StringSelect { values } = &press.data.kind {
        return text(&format!("picked {}", values.join(" ")));
    }
    let title = press.data.custom_id.splitn(3, '-').nth(2).unwrap_or_default();
    let message = CreateInteractionResponseMessage::new().content(format!("Taken back: {title}"));
    CreateInteractionResponse::UpdateMessage(message.components(vec![]))
}

/// A running bot. It stops when this is dropped.
struct Running(tokio::task::JoinHandle<()>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn start(address: String) -> serenity::Result<Running> {
    let http = HttpBuilder::new("secret").proxy(address).ratelimiter_disabled(true).build();
    let builder = ClientBuilder::new_with_http(http, GatewayIntents::non_privileged());
    let mut client = builder.event_handler(TaskBot).await?;
    Ok(Running(tokio::spawn(async move { drop(client.start().await) })))
}

fn example() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/tasks.jsonl")
}

#[tokio::test]
async fn the_example_is_played() -> Tested {
    let scenario = Scenario::read(&std::fs::read_to_string(example())?)?;
    let twin = Twin::start().await?;
    let _running = start(twin.url()).await?;
    let report = twin.play(&scenario).await?;
    assert_eq!(report, Report { n_steps: 33, n_expectations: 14, refused: Vec::new() });
    Ok(())
}

#[tokio::test]
async fn a_failed_step_is_reported_with_its_line() -> Tested {
    let twin = Twin::start().await?;
    let _running = start(twin.url()).await?;
    let cases = [
        ("{\"expect\": {\"ephemeral\": true}}", "line 1: there is no user's step before this"),
        (
            "{\"slash\": \"tasks give\", \"options\": {\"who\": {\"user\": 7}, \"count\": 1}}\n\n\
             {\"expect\": {\"contains\": \"nine\", \"within\": 0.3}}",
            "line 3: expected an answer with [\"nine\"] and without [] within 300ms; received: 1 for user-7",
        ),
        (
            "{\"say\": \"hello\"}\n{\"expect\": {\"nothing\": true, \"within\": 2}}",
            "line 2: expected nothing within 2s; received: heard",
        ),
        ("{\"slash\": \"tasks add\"}\n{\"modal\": {\"Name\": \"x\"}}", "line 2: the modal has no text input `Name`"),
        ("{\"slash\": \"a\", \"options\": {\"who\": {\"cat\": 7}}}", "line 1: the value of option `who` is not a user"),
        ("{\"resume\": 0.05}", "line 1: no session was resumed"),
    ];
    for (written, expected) in cases {
        let told = twin.play(&Scenario::read(written)?).await.err().map(|failed| failed.to_string());
        assert!(told.as_ref().is_some_and(|told| told.starts_with(expected)), "{expected}: {told:?}");
    }
    Ok(())
}

/// Runs the command-line program with this scenario, and a bot. Returns the exit code and the output.
async fn program(folder: &Path, scenario: &str) -> Result<(Option<i32>, String), Box<dyn std::error::Error>> {
    use std::io::{BufRead as _, BufReader, Read as _};
    let file = folder.join("scenario.jsonl");
    std::fs::write(&file, scenario)?;
    let mut program = Command::new(env!("CARGO_BIN_EXE_discord-twin"))
        .args(["--listen", "127.0.0.1:0", "--scenario"])
        .arg(&file)
        .stdout(Stdio::piped())
        .spawn()?;
    let mut output = BufReader::new(program.stdout.take().ok_or("no output")?);
    let mut printed = String::new();
    output.read_line(&mut printed)?;
    let address =
        printed.split_whitespace().find_map(|word| word.strip_suffix('.').filter(|it| it.starts_with("http")));
    let _running = match address {
        Some(address) => Some(start(address.to_owned()).await?),
        None => None,
    };
    let ended = tokio::task::spawn_blocking(move || {
        output.read_to_string(&mut printed)?;
        Ok::<_, std::io::Error>((program.wait()?.code(), printed))
    });
    Ok(ended.await??)
}

#[tokio::test]
async fn the_exit_code_of_the_program_reports_the_result() -> Tested {
    let folder = std::env::temp_dir().join(format!("twin-scenario-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let said = "{\"say\": \"hello\"}\n";
    let cases = [
        (format!("{said}{{\"expect\": {{\"contains\": \"heard\"}}}}"), 0, "played 2 steps, 1 expectations met"),
        (format!("{said}{{\"expect\": {{\"contains\": \"x\", \"within\": 0.2}}}}"), 1, "failed: line 2: "),
        ("{\"sing\": 1}".to_owned(), 2, "scenario.jsonl: line 1: unknown field `sing`"),
    ];
    for (scenario, code, expected) in cases {
        let (ended, printed) = program(&folder, &scenario).await?;
        assert_eq!(ended, Some(code), "{printed}");
        assert!(printed.contains(expected), "{printed}");
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
