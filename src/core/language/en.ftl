# English: the first language, and the fallback of every other.
# $name and the like are shown as they are. Code marks (`…`) are Discord's.

## Lists of names

decimal-point = .
list-or = { $others } or { $last }
list-and = { $others } and { $last }

## What there is

unknown-command = Unknown command `{ $command }`. `/help` lists what exists.
unknown-command-near = Unknown command `{ $command }`. Did you mean { $near }?
unknown-subcommand = `{ $command }` does not exist.
unknown-subcommand-near = `{ $command }` does not exist. Available: { $exist }.
unknown-typed = If you did not mean a command, begin the message with another word.
not-plain = `{ $command }` { $why ->
    [quote] is in a quote
    [code] is in code
    [quotation-marks] is in quotation marks
    [backslash] comes after a backslash
    [formatted] is formatted
    [link] is a link
    [lookalike] begins with a character that only looks like a slash
    [hidden] has hidden characters in front of it
    [mention] has a mention or an emoji in front of it
   *[below] comes below other text
}, so it did not run. To run it, send a plain message that begins with `{ $command }`.
command-changed = `{ $command }` did not run: { $problem }. The command has changed, and your Discord app still shows the old version of it. Restart or reload Discord and try again.
command-malformed = `{ $command }` did not run: { $problem }. Usage:
named-command = `{ $command }` is a command, and it has not run. To run it, type:
command-malformed-near = Did you mean `{ $near }`?
command-malformed-alone = `{ $command }` did not run: { $problem }.
command-unavailable = `{ $command }` is unavailable: its module failed the start-up check.
subcommand-unavailable = `{ $command }` is unavailable: it failed the start-up check.
unavailable-code = Its operator finds out more by this code: `{ $code }`.
command-chat-only = Unknown command `{ $command }`: it is a tool for the chat model alone. Ask for it in your own words.
command-of-chat = There is no chat model here, and `{ $command }` needs one, so nothing ran.
menu-command-unknown = The context-menu command `{ $name }` no longer exists, and your Discord app still shows it. Restart or reload Discord, and it goes away.

## What is wrong with arguments
# Each stands in the middle of `command-changed` or `command-malformed`; a misfit follows an option's name.

argument-missing = it needs `{ $option }`
argument-subcommand = it needs a subcommand
argument-too-many = it would run with more than can be shown here first; type the command
argument-no-subcommands = it has no subcommands
argument-not-taken = it does not take `{ $typed }`
argument-none = it takes no arguments, so `{ $typed }` cannot follow it
argument-takes = it takes { $options }
argument-unknown = it has no option `{ $typed }`; { $takes }
argument-behind = `{ $typed }` follows the value of `{ $option }`; { $takes }
argument-before = `{ $typed }` comes before any option name; { $takes }
argument-twice = `{ $option }` is given twice
argument-misnamed = it has no `{ $typed }`. Did you mean `{ $named }`? To keep it as it is, write `{ $kept }`
argument-slip = it has no `{ $typed }`, but `{ $option }`
argument-unclosed = the quotation mark before `{ $typed }` is never closed
argument-behind-quotation = there is text right after the closing quotation mark of `{ $option }`
argument-no-value = `{ $option }` has no value
argument-file = `{ $option }` cannot be typed: choose the command in the picker to attach a file
option-text = text
option-integer = whole number
option-number = number
option-boolean = true or false
option-user = user
option-channel = channel
option-role = role
option-mentionable = user or role
option-file = file
option-message = message
misfit-text = must be text
misfit-too-short = must have at least { $min } characters
misfit-too-long = must have at most { $max } characters; this has { $length }
misfit-choice = must be one of { $known }
misfit-integer = must be a whole number
misfit-number = must be a number
misfit-too-small = must be at least { $min }
misfit-too-large = must be at most { $max }
misfit-boolean = must be `true` or `false`
misfit-user = must be a user, mentioned as `<@80351110224678912>`
misfit-role = must be a role, mentioned as `<@&80351110224678912>`
misfit-mentionable = must be a user or a role, mentioned as `<@80351110224678912>`
misfit-file = must be a file
misfit-message = must be a message
misfit-channel = must be a channel, mentioned as `<#80351110224678912>`
misfit-channel-kind = must be another kind of channel
misfit-channel-typed = takes only some kinds of channels: choose it in the picker

## Who may use a command, and how often

denied-blocked = You may not use this bot, so `{ $command }` did not run. Its operator decides that.
denied-operators-only = `{ $command }` is for this bot's operators. It did not run.
denied-gone = `{ $command }` no longer exists. It did not run.
denied-not-a-tool = `{ $command }` is for people, not for chat models. It did not run.
denied-not-confirmed = `{ $command }` changes something, and nobody confirmed it. It did not run.
denied-switched-off = `{ $command }` is switched off in this server. It did not run.
denied-server-unknown = `{ $command }` did not run: this bot cannot tell at the moment what is switched off in this server. Try again later.
denied-users = `{ $command }` is for certain people only, and you are not one of them. It did not run.
denied-roles = `{ $command }` is for members with certain roles, and you have none of them. It did not run.
denied-roles-outside = `{ $command }` is for members with certain roles, and nobody has roles here. It did not run. Use it in the server.
denied-roles-not-said = `{ $command }` is for members with certain roles, and this message does not say which ones you have. It did not run. Choose it in the picker: type `/` and select it.
denied-channels = `{ $command }` is for certain channels only, and this is not one of them. It did not run.
denied-discord = `{ $command }` is for members with these permissions, and you lack them here: { $missing }. It did not run.
denied-discord-outside = `{ $command }` needs these permissions, which exist only in servers: { $missing }. It did not run. Use it in the server.
denied-discord-not-said = `{ $command }` is for members with these permissions, and a typed message does not say whether you have them: { $missing }. It did not run. Choose it in the picker: type `/` and select it.
denied-servers-only = `{ $command }` works in servers only. It did not run.
denied-direct-only = `{ $command }` works in direct messages with this bot only. It did not run.
denied-elsewhere = `{ $command }` cannot be used here. It did not run.
denied-age = `{ $command }` is for age-restricted channels, and a typed message does not say whether this is one. It did not run. Choose it in the picker: type `/` and select it.
denied-picker = `{ $command }` is for members to whom Discord shows it, by default those with: { $wanted }. Discord checks that only in its picker. It did not run. Choose it in the picker: type `/` and select it.
denied-members = `{ $command }` is for members with: { $wanted }. It works only in servers to which their administrators added this bot. It did not run.
chat-denied-person = You may not talk with this bot's chat model. Its operator decides that. Slash commands keep working.
chat-denied-place = The chat model of this bot does not answer in this channel. Slash commands keep working.
chat-denied-direct = The chat model of this bot does not answer your direct messages. Its operator decides that. Slash commands keep working.
chat-denied-server-off = The administrators of this server switched the chat model off. Slash commands keep working.
chat-denied-server-channel = The administrators of this server chose other channels for the chat model. Slash commands keep working.
chat-denied-server-role = The administrators of this server let only members with certain roles talk with the chat model. Slash commands keep working.
chat-denied-server-unknown = This bot cannot read the settings of this server at the moment, so your message did not reach the chat model. Try again later.
chat-too-fast = You sent too many messages to the chat model: at most { $messages } in a minute. Wait a little. Slash commands keep working.
chat-blocked = You may not use this bot. Its operator decides that.
cooldown-user = `{ $command }` did not run: you ran it too recently. Try again in { $wait } (at { $at }).
cooldown-channel = `{ $command }` did not run: somebody in this channel ran it too recently. Try again in { $wait } (at { $at }).
cooldown-guild = `{ $command }` did not run: somebody in this server ran it too recently. Try again in { $wait } (at { $at }).
cooldown-global = `{ $command }` did not run: somebody ran it too recently. Try again in { $wait } (at { $at }).
cooldown-unknown = `{ $command }` did not run: this bot cannot check its cooldown at the moment. Try again later.

## Commands that did not end well, and answers that take long

command-store = `{ $command }` did not run: this bot cannot write to its store at the moment. Try again later.
module-busy = Too many of its calls are running. Try again in a moment.
later-console = Nothing is called later in the console, so nothing was kept.
later-server = Only a server has calls of its own, and this is none. Nothing was kept.
later-full = { $max } later calls wait already, and no more may. Nothing was kept.
failed-inside = `{ $command }` failed: something went wrong inside it, and the operator can see what. Nothing was made up.
failed-store = `{ $command }` failed: this bot's storage is full or failing, so nothing could be stored. Nothing was made up.
unsure-outside = `{ $command }` may or may not have done its work: it was sent, and no answer came that can be read. Check before you try again.
# Under the question of a command that asks before it runs, and the label of its button.
ask-how = To run it, press the button, or add `{ $option }: true`.
ask-button = Run it
tool-without-words = Done. The answer has no text.
failed-crashed = `{ $command }` failed: it crashed, and the operator can see why. Nothing was made up.
failed-conflict = `{ $command }` did not run: somebody else changed the same thing at the same moment. Nothing was changed; try again.
failed-not-stored = `{ $command }` failed: the store did not confirm the change, so it was probably not made. Check before you try again.
interrupted-nothing = `{ $command }` was interrupted: the bot was restarted in the middle of it. Nothing was changed.
interrupted-unknown = `{ $command }` was interrupted: the bot was restarted in the middle of it, and it may or may not have done its work. Check before you try again.
interrupted-done = `{ $command }` ran; the bot was restarted before it could say so. Its answer:
interrupted-late = This was interrupted: the bot was restarted in the middle of it. Nothing was changed.
interrupted-late-unknown = This was interrupted: the bot was restarted in the middle of it, and it may or may not have done its work. Check before you try again.
interrupted-turn = The bot was restarted in the middle of this reply; nothing more will come.
failed-too-slow = `{ $command }` failed: it did not finish within { $seconds } s and was stopped; what it did until then is unknown. Nothing was made up.
command-broke = The command failed on its way to Discord. `/receipt` shows whether it ran.
still-running = This is still running. Discord accepts no answer later than 15 minutes after a command: `/receipt` shows the answer once there is one.
answer-for-one-alone = The answer to `{ $command }` is for you alone. Press the button, choose the command in Discord's picker, or write it to me directly.
answer-for-one-alone-elsewhere = The answer to `{ $command }` is for you alone. Choose the command in Discord's picker, or write it to me directly.
answer-not-shown = There is an answer, but it could not be shown.
answer-of-command-not-shown = `{ $command }` ran, but its answer could not be shown. { $record }
receipt-not-kept = Its receipt could not be stored.
fields-left-out = { $n } more are not shown: Discord does not accept a larger message.
cut = … (truncated)
picture-not-drawn = The picture could not be drawn; the text says the same.

## Where a module may not send

send-no-channel = I may not send messages to <#{ $channel }>. The operator of this bot allows it by `{ $module } = ["{ $channel }"]` under `[modules.send_to]` in its settings.
send-no-channel-here = I may not send messages to <#{ $channel }>. Whoever may manage this server allows it by `/settings set name: module_channels value: { $module } = <#{ $channel }>`.
send-no-channels = The operator of this bot has not allowed this in any channel yet: `{ $module } = ["{ $channel }"]` under `[modules.send_to]` in its settings would allow <#{ $channel }>.

## Where a text of a module names the server

server-without-name = this server
server-of-direct-messages = this conversation

## What a module cannot read over the web

http-address = Only an `https` address of a host can be read, such as `https://example.org/feed.xml`.
http-host-not-allowed = The operator of this bot has not allowed it to read from that host.
http-not-public = That host is not on the public internet, so it is not read.
http-unreachable = That host cannot be reached at the moment.
http-timed-out = That host did not answer in time. Try again later.
http-too-large = What that host sends is too large to be read.
http-redirects = That address redirects too often.
http-busy = This bot is reading too many addresses at the moment. Try again in a moment.

## What a module cannot read of a file that came with a command

attachment-too-large = That file is too large: at most { $kib } KiB are taken.
attachment-unreachable = Discord does not give that file at the moment. Attach it again.
attachment-changed = That file is not what Discord announced, so it is not taken. Attach it again.

## What is not done in a workspace

workspace-path = This path cannot be used: { $problem }.
path-empty = it is empty
path-too-long = it is longer than { $max } characters
path-from-root = it begins at the root of a machine; write it from the workspace's folder on, as `notes/a.txt`
path-letter = '{ $letter }' cannot be part of a name here; folders are separated by `/`
path-too-deep = it goes through more than { $max } folders
path-empty-name = a name in it is empty
path-dots = `.` and `..` are not names, and nothing leads out of the workspace
path-last-dot = a name in it ends with a dot
path-space = a name in it begins or ends with a space
path-long-name = a name in it is too long
path-device = a name in it is a device on some systems
path-own = names that begin with `{ $prefix }` are the bot's own
workspace-no-file = There is no file `{ $path }` here.
workspace-no-folder = There is no folder `{ $path }` here.
workspace-is-folder = `{ $path }` is a folder.
workspace-not-file = `{ $path }` is not a file.
workspace-not-through = `{ $path }` goes through `{ $name }`, which is not a folder.
workspace-link = `{ $path }` is or goes through a link, and links are not followed here.
workspace-too-large = `{ $path }` is larger than { $kib } KiB, so it is not read.
workspace-no-text = `{ $path }` is not text in UTF-8, so it is not read.
workspace-changed = Somebody else has changed `{ $path }` in the meantime. Nothing was written; read it again.
workspace-content-too-large = A file may hold { $kib } KiB, and this content is longer. Nothing was written.
workspace-too-many-files = The workspace is full: { $max } files are the most. Nothing was written. A file can be overwritten with less or removed.
workspace-full = The workspace is full: its files together may hold { $mib } MiB. Nothing was written. A file can be overwritten with less or removed.
workspace-all-full = There is no room: all workspaces of this bot together may hold { $mib } MiB. Nothing was written. Files can be removed, and the operator can allow more.

## Lines under answers
# A model's line that begins like `label-generated` or `label-ran`, in any language, is marked as the model's.

footer-recovered = recovered
footer-as-of = as of { $time }
footer-source-as-of = { $source } as of { $time } ({ $age })
later-not-here = `{ $command }` did not run: I am not in this server or group, so I could not answer here later. Use it in a direct message with me.
due-sent-directly = I could not write this in { $channel }, so I send it to you here.
mention-unread = You mentioned my role, and Discord does not show me the words of such a message. Mention me instead: choose the name with the APP label in the list behind `@`.
notice-changed = I edited this message instead of sending a new one. I can send a new one here in { $seconds } s.
footer-nothing-done = nothing done yet
footer-receipt = receipt { $id }
footer-no-receipt = no receipt: it could not be stored
footer-under-a-millisecond = under 1 ms
footer-refreshed = refreshed
footer-due = as scheduled
footer-event = for an event
footer-schedule = on schedule
footer-of-module = sent by the module { $module }
message-not-sent = Would be sent to channel { $channel }: { $words }
age-seconds = { $n } s ago
age-minutes = { $n } min ago
age-hours = { $n } h ago
age-days = { $n } days ago
age-future = in the future
label-generated = generated
label-part = { $n } of { $of }
label-rest-in-file = the rest is in the file
label-still-writing = still writing
label-ran = ran { $commands }
label-none = no command ran
label-asked = { $commands } asked first
label-folded = a part of an answer is folded
label-refused = { $commands } { $n ->
    [one] was
   *[other] were
} refused
label-failed = { $commands } failed
label-unknown = { $commands }: outcome unknown
label-more = { $n } more
receipt-nouns = receipt receipts reçu reçus recibo recibos
label-without-receipt = without a receipt
rest-missing = the rest of this reply may be missing
notes-more = { $n } more: /receipt shows them

## Commands that a chat model runs

running = running { $command } …
thinking = The chat model has not written anything yet.
question-asked = A chat model asked to run this command, which changes something:
question-reason = The model's reason: { $reason }
question-file = This is not all of it: `{ $file }` has the whole command.
question-confirm = It runs only if { $person } confirms within { $seconds } s. Nobody else can decide this.
question-button = This button runs a command that is not of its own module. Run it only if you mean to:
button-run-asked = Run
button-confirm = Confirm
button-decline = Cancel
question-confirmed = confirmed
question-declined = declined: nothing ran
question-unanswered = Nobody confirmed it in time. Nothing ran.
question-restarting = This bot is restarting. Nothing ran.
question-stopped = The reply was stopped. Nothing ran.
press-closed = This question is no longer open. This click ran nothing.
press-blocked = You may not use this bot. Its operator decides that. This click ran nothing.
press-unreadable = This button or list could not be read, so nothing ran. Reload Discord (Ctrl+R) and try again.
answer-folded = … { $n } more
button-show-all = Show all
note-private = { $person }: { $command } ran, and its answer is for you alone.
button-show = Show it
note-unshown = Ran { $run }. Its answer could not be shown here.

## Notes under a model's words

note-only-written = Written by the model, not run: { $commands }.
note-made-up = The model wrote an answer of a command that did not run; it was taken out.
note-cut-longest = The reply ends here: it is longer than I show.
note-cut-off = The reply was cut off here, at the model's length limit.
note-cut-time = The reply was cut off here: it ran out of time, or the model stopped writing.
note-cut-lost = The reply was cut off here: the model's server broke off the answer.
note-cut-call = The reply ends here: the model tried to call a command in a way that could not be read. That call did not run.
note-left-out = { $n } earlier messages were left out for this reply: the model had no room for them.
note-stopped = Stopped by { $person }.
note-leaving = The bot restarts, so the reply ends here.
note-elsewhere = The bot lost its connection for a while, so the reply ends here: another of its processes continues this conversation.
note-edited = The question was edited meanwhile. This answers what it said before.
note-deleted = The question was deleted, so the reply ends here.
note-cleared = Ended by /clear: this exchange is not remembered.
note-receipt = No command of this reply has the receipt { $id }.
note-question = The question in the code is the model's: no command waits for a confirmation.
note-not-run = { $command } did not run: { $why }
notes-more-failures = { $n } more did not succeed: /receipt shows them
# Why a command did not run, for the end of `note-not-run`. In English they go to the model as well.
call-declined = the person said no
call-unconfirmed = nobody confirmed it
call-ran-before = it ran before, for the same message
call-out-of-time = this turn had run out of time
call-spared-declined = an earlier change was not confirmed
call-spared-wrong-step = another call made with it was wrong
call-spared-too-many = there were too many calls at once
call-stopped = the turn was stopped
call-left = the person is no longer in this server

## Commands that a model did not run, under its words

button-run = Run { $command }
run-not-theirs = Only the person who asked may run this. Nothing ran.
run-nothing = There is nothing to run under this reply.
run-before = A command of this reply has already been run with its button, so this one was not. Type it yourself; `/receipt` shows what ran.
run-store = This bot cannot use its store at the moment, so nothing ran. Try again later.
run-blocked = You may not use this bot. Its operator decides that. Nothing ran.

## What a model wrote

said-none = This message is not a chat reply that this bot remembers.
said-not-theirs = Only the person who asked and operators may see this.
said-store = This bot cannot use its store at the moment. Try again later.
said-nothing = The model wrote nothing.
said-title = What the model wrote:
said-results = What the commands told it:

## Calculations

calculate-absent = This bot was built without what works it out, so nothing was.
calculate-comma = A comma between digits can mean two things. Write a decimal point, and nothing between thousands: `3.5`, `1000`.
calculate-too-much = That takes more time or memory than a calculation may.
calculate-too-long = The result has { $n } characters, which is too long to show.
calculate-problem = That cannot be worked out as it is written. This works: `12% of 340`, `5 km to miles`, `today + 2 weeks`.
calculate-unknown = That cannot be worked out: { $word } is unknown here.
calculate-units = That cannot be worked out: { $from } and { $to } measure different things.
calculate-no-date = That cannot be worked out: a date in it does not exist.
calculate-in = That cannot be worked out as it is written. For inches, write `inch`: `5 ft 11 inch to cm`.
calculate-from = Counted from { $from }.
calculate-from-end = Counted from { $from }. The month has no such day, so this is its last.
calculate-by-zero = That cannot be worked out: it divides by zero.
calculate-nothing = There is nothing to work out.
calculate-no-meaning = That cannot be worked out: { $sign } has no meaning here.
calculate-busy = Too much is being worked out at the moment, so this was not. Try again in a moment.
calculate-days = { $n ->
    [one] { $n } day
   *[other] { $n } days
}
calculate-date = { $weekday }, { $day } { $month } { $year }
calculate-weekday = { $n ->
    [1] Monday
    [2] Tuesday
    [3] Wednesday
    [4] Thursday
    [5] Friday
    [6] Saturday
   *[7] Sunday
}
calculate-month = { $n ->
    [1] January
    [2] February
    [3] March
    [4] April
    [5] May
    [6] June
    [7] July
    [8] August
    [9] September
    [10] October
    [11] November
   *[12] December
}

## What may be done with a reply

ask-again-asked = Asked again. The answer comes as a new reply.
ask-again-not-theirs = Only the person who asked may ask this again.
ask-again-nothing = This reply answers no message that could be asked again.
ask-again-gone = The message that this reply answered is gone.
ask-again-no-words = That message is no longer a question for the chat model, so nothing was asked and nothing ran.
delete-done = The reply is deleted. Commands that ran with it stay done, and their receipts stay. The model still remembers it; `/clear` makes it forget.
delete-failed = Discord did not delete { $n ->
        [one] one message
       *[other] { $n } messages
    } of this reply.
reply-not-theirs = Only the person who asked and operators may do this.
hide-json-none = This message does not begin with JSON.
hide-json-line = JSON in front was hidden
hide-json-done = The JSON in front is hidden. Nothing was run or saved; *What it said* still shows it.
hide-json-failed = Discord did not take the change, so nothing is hidden.

## Why a model did not answer

again-in-seconds = Try again in { $n } s.
again-in-minutes = Try again in { $n } min.
again-in-hours = Try again in { $n } h.
# $again is empty, or a sentence with a space before it.
model-not-configured = Chat is not set up: no model is configured. Slash commands work; `/help` lists them.
model-busy = The chat model has too many questions to answer at the moment. Try again shortly; slash commands keep working.
model-unreachable = The chat model cannot be reached. Slash commands keep working.
model-interrupted = The chat model's answer broke off in the middle, so it is not shown as if it were whole. Ask again.
model-unavailable = The chat model failed several times in a row, so requests to it are paused.{ $again } Slash commands keep working.
model-timed-out = The chat model did not answer within { $seconds } s. Slash commands keep working.
model-unauthorized = The chat model's server refused this bot's key. Its operator must check `[model] key_file`.
model-forbidden = The chat model's server does not allow this request: the key lacks a right, or the provider blocks it. Its operator can read why.
model-unknown-model = The chat model's server does not know this model or address. Its operator must check `[model]`, or choose another with `/model`.
model-redirected = The chat model's server redirects to another address (status { $status }), and this bot follows no redirects. Its operator must check `[model] base_url`.
model-rate-limited = The chat model is busy or out of quota.{ $again } Slash commands keep working.
model-overloaded = The chat model's server is overloaded or still starting.{ $again } Slash commands keep working.
model-tools-unsupported = The chat model does not support the API's tool calls. Its operator must set `[model] tools = "text"`.
model-context-too-long = The chat model has no room for this message, even without the conversation before it. Ask for less at once, or in fewer words.
model-refused = The chat model's server refused the request (status { $status }). Its operator can read why.
model-server-error = The chat model's server failed (status { $status }). Slash commands keep working.
model-reported = The chat model's server reported an error in place of an answer. Its operator can read which.
model-empty = The chat model sent an empty answer. That is a failure of the model, not an answer.
model-cut-off = The chat model reached its length limit before it wrote an answer. Ask for something shorter.
model-unknown-end = The chat model's answer ended for an unknown reason and may not be whole, so it is not shown. Its operator can read the reason.
model-filtered = The chat model or its provider withheld the answer. Ask in other words, or about something else.
model-tool-call = The chat model tried to call a tool in a way that was not offered to it. That call did not run.
model-too-many-calls = The chat model asked for far too many commands at once. None of them ran.
model-lost-call = The chat model tried to call a tool, but its server lost the call on the way. That call did not run.
model-not-json = The chat model's server sent something that is not a chat answer. Its operator can read what.
model-too-large = The chat model's server sent a longer answer than this bot accepts.

## How a turn ended

turn-steps-spent = The chat model did not come to an answer within { $n } steps, so it was stopped.
turn-no-such-tool = The chat model kept calling `{ $name }`, which it cannot call here, so it was stopped. Nothing of that name ran.
turn-corrections-spent = The chat model kept asking for things that do not exist or cannot be read. After { $n } corrections it was stopped.
turn-out-of-time = The chat model did not come to an answer within { $seconds } s, so it was stopped.
turn-no-room-for-results = The chat model has no room for what the commands answered. Their answers are shown above; ask for fewer at once.
turn-nothing-left = The chat model wrote no answer, only what looks like a command or its answer; it was taken out.
turn-gave-up = The chat model says that it cannot do this, and gives no reason.
chat-store-unreadable = Chat does not work at the moment: this bot cannot read its store. Nothing was sent to a model.
chat-store-unwritable = Chat does not work at the moment: this bot cannot write to its store. Nothing was sent to a model.
chat-too-many = Too many of your conversations wait for an answer, so nothing was done with this message. Send it again once one of them is answered. Slash commands keep working.
chat-elsewhere = Your last message is still being answered, by another process of this bot. Nothing was done with this one: send it again once that answer is there.
chat-too-much = This is more than can wait while I answer: at most { $messages } messages and { $characters } characters. I leave this one and the next ones out until I am done.
chat-budget-person = You have used up your chat budget for today. It resets { $when }. Commands still work.
chat-budget-guild = This server has used up its chat budget for today. It resets { $when }. Commands still work.
chat-budget-place = The chat budget for this place is used up for today. It resets { $when }. Commands still work.
chat-budget-bot = This bot has used up its chat budget for today. It resets { $when }. Commands still work.

## What chat used

usage-title = What chat used today
usage-resets = Counting starts again { $when }. The tokens of a reply are counted when it ends.
usage-you = You
usage-server = This server
usage-place = `[chat.places."{ $id }"]`
usage-bot = The whole bot
usage-largest = Most used (at most { $n })
usage-tokens = Tokens: { $n }
usage-tokens-of = Tokens: { $n } of { $limit }
usage-estimated = { $n } of them estimated, because the model's server does not count
usage-turns = Replies: { $n }
usage-turns-of = Replies: { $n } of { $limit }

## Under a reply of the chat model

button-stop = Stop
button-go-on = Go on
button-ask-again = Ask again
stop-over = This reply is no longer being written.
stop-not-theirs = Only the person who asked and operators may stop this.
# What *Go on* tells the model, as the person's words.
go-on-words = Go on where your last reply stopped. Do not repeat what you wrote.
# What stands for the words of a message that has none but came with something, and of a mention alone.
wordless-words = (I wrote no words. Look at what came with my message.)
mention-alone-words = (I mentioned you without a word.)
go-on-before = This reply has already been continued.
go-on-over = The conversation has moved on since, so the model cannot continue this reply. Ask for it again.
go-on-nothing = There is nothing to continue under this reply.

## At the console

console-hint = Type `/help` for the commands, Tab to complete one. Ctrl-D, `exit` or `quit` leaves.
console-leave = Ctrl-D, `exit` or `quit` leaves.
console-line-too-long = This line is longer than 64 KiB, so nothing was done with it.
console-press = `/press { $n }` presses button { $n }.
console-choose = `/press { $n } 1` chooses the first entry of list { $n }; its name works as well.
console-pick = `/press { $n } ID` chooses in list { $n } by the id of a channel or role; several ids are separated by spaces.
console-no-button = There is no button `{ $button }` under the last answer, so nothing happened. `/press 1` presses the first one, and `/press` with its label works as well.
console-no-choice = List { $n } has no entry `{ $choice }`, so nothing happened. `/press { $n } 1` chooses the first one.
console-run = run it? y/N
console-offer = run { $command }? y/N
# What else means yes, besides `y` and `yes`.
console-yes = y yes
# What else means no, besides `n` and `no`.
console-no = n no

## `candor try`

# What the person asks a stand-in for a chat model, which then calls the command. $line is the command as it was typed.
try-asks-model = Please run this: { $line }
try-no-command = This is not a command: { $line }. A command begins with a slash.
try-no-tool = No chat model can call this: { $line }. Its manifest has no `tool`.
try-model-words = Here a model would write its own words.
# $told is JSON, as a model reads it.
try-model-told = what the model is told: { $told }

## On Discord

interaction-entry-point = The command that opens this app's activity is no longer in use, so nothing happened. `/help` lists what there is.
interaction-unknown-kind = This bot has slash commands and context-menu commands. What you chose is of another kind, so nothing happened. `/help` lists what there is.
interaction-unknown = This button, form or context-menu command is no longer in use, so nothing happened. `/help` lists what there is.
interaction-unreadable = `{ $command }` could not be read, so it did not run. Reload Discord (Ctrl+R) and try again.
closed-restarting = This bot is restarting, so { $what }. Try again in a moment.
closed-too-many = Too many of your messages wait for an answer, so { $what }. Try again in a moment.
closed-busy = This bot is busy, so { $what }. Try again in a moment.
# What did not happen, to stand in the middle of `closed-restarting` and `closed-busy`.
closed-command = `{ $command }` did not run
closed-message = your message was not answered
closed-press = this click did nothing
closed-modal = this form did nothing

## Controls: buttons, lists and forms under answers, and pages

control-unknown = This button, list or form is no longer in use, so nothing ran. Run its command again; `/help` lists what there is.
control-forged = This button, list or form is not one of this bot's, so nothing ran. Run the command itself; `/help` lists what there is.
control-expired = This has expired, so nothing ran. Run `{ $command }` again.
control-outdated = This is too old, so nothing ran. Run its command again; `/help` lists what there is.
control-foreign = Only the person who asked can use this, so nothing ran. Run `{ $command }` yourself.
control-not-yours = Only the person who asked can decide this.
control-gone = `{ $command }` no longer exists, so nothing ran. `/help` lists what there is.
control-used = This works only once and has already been used, so nothing ran now. Run `{ $command }` again.
control-stale = `{ $command }` did not run: { $problem }. The command may have changed since this was shown: run it again.
modal-misfit = `{ $command }` did not run: { $problem }. Open the form again and correct it.
modal-too-much = `{ $command }` did not run: its options are too long to be kept while a form is open. Give { $options } as options of the command too.
modal-not-here = `{ $command }` did not run: it needs { $options }. Give that as options of the command.
modal-unreadable = This form could not be read, so nothing ran and what you wrote was not saved. Reload Discord (Ctrl+R) and try again.
page-of = Page { $page } of { $pages }. Another one: `{ $command }`
page-previous = Previous
page-next = Next
page-beyond = { $pages ->
    [one] There is only one page.
   *[other] There are { $pages } pages.
}

## /help, /clear and /model

context-shared = Everybody in this channel shares this conversation, each under their own name
context-title = What the chat model would be shown now
context-model = Model { $model }: { $n } tokens in all, { $answer } of them for its answer
context-system = System text, with what it is told about you: { $n } tokens
context-told = told about you under { $title }: { $n ->
    [one] 1 entry
   *[other] { $n } entries
}
context-tools = { $n ->
    [0] No command to call
    [one] 1 command to call
   *[other] { $n } commands to call
}: { $tokens } tokens
context-tools-in-text = { $n ->
    [one] 1 command to call
   *[other] { $n } commands to call
}: part of the system text
context-exchanges = { $n ->
    [0] No earlier exchange
    [one] The last exchange
   *[other] The last { $n } exchanges
}: { $tokens } tokens
context-left-out = { $n ->
    [one] 1 older exchange is kept and would not be shown
   *[other] { $n } older exchanges are kept and would not be shown
}
context-summary = { $n ->
    [one] A summary of 1 earlier exchange, generated by the model and shown to it as data: { $tokens } tokens
   *[other] A summary of { $n } earlier exchanges, generated by the model and shown to it as data: { $tokens } tokens
}
context-room = Left for your next words, what comes with them, and what commands answer: { $n } tokens
context-more = Tokens are estimated. `/receipt reply` lists what the model was given for a reply; `/clear` forgets this conversation.

help-title = What this bot can do
help-chat = What you write to me without a slash goes to a chat model, and its answer is marked as generated.
help-no-chat = There is no chat: no model is set up.
help-unknown = There is no command `{ $command }`.
help-unknown-near = There is no command `{ $command }`. Did you mean `{ $near }`?
help-user-menu = In the context menu of a user, under Apps: { $commands }
help-message-menu = In the context menu of a message, under Apps: { $commands }
clear-ended = The reply that was being written was ended, and messages that waited for it are not answered.
clear-nothing = There was nothing to forget: this conversation has no messages.
clear-done = { $n ->
    [one] Forgot { $n } message of this conversation.
   *[other] Forgot { $n } messages of this conversation.
}
clear-part-nothing = There was nothing to forget: you said nothing in the conversation that everybody in this channel shares.
clear-part-done = { $n ->
    [one] Forgot { $n } message: what you said in the conversation that everybody in this channel shares, and the answers.
   *[other] Forgot { $n } messages: what you said in the conversation that everybody in this channel shares, and the answers.
}
clear-part-others = What others said stays. Anybody who may manage messages here can clear all of it.
clear-shared-done = { $n ->
    [one] Forgot { $n } message of the conversation that everybody in this channel shares, of everybody.
   *[other] Forgot { $n } messages of the conversation that everybody in this channel shares, of everybody.
}
model-not-theirs = Everybody in this channel shares one conversation. Only people who may manage messages here can choose its model, so nothing changed.
model-title = Models of this conversation
model-in-use = in use
model-tools-native = calls commands
model-tools-text = calls commands by text
model-tools-none = calls no commands
model-tools-unknown = not used yet
model-images = sees images
model-no-images = sees no images
model-context = context of { $n } tokens
chat-stood-in = { $failed } could not answer; `{ $model }` did.
model-none = No chat model is configured. The operator sets one up under `[model]` in config.toml.
model-unknown = There is no such model, so nothing changed. Configured: { $known }.
model-chosen = This conversation now uses `{ $name }`.

## /thread

thread-title = Talk with { $person }
thread-owner = A conversation with { $person }.
thread-opened = Opened { $thread }. Mention me or reply to me there: it has a conversation of its own.
thread-not-here = There are no threads here, so none was opened. Threads are opened in the text channels of a server, and not within other threads.
thread-not-allowed = You may not open a thread here: that takes the permissions Create Public Threads and Send Messages in Threads. Choose the command from the list that Discord shows, so that I can see what you may do. Nothing was opened.
thread-forbidden = I may not open threads here, or may not write in them: my role lacks View Channel, Create Public Threads or Send Messages in Threads. Nothing was opened.
thread-mute = { $why } So no thread was opened.
thread-not-written = I opened { $thread } for this and could not write there, so there is no answer in it. I may lack the permission Send Messages in Threads.
thread-failed = It is not known whether the thread was opened: look for it before you try again.

## /receipt

receipt-title = Receipt { $id }
receipt-unknown = There is no receipt `{ $id }` of yours.
receipt-no-message = `{ $typed }` is not a message link or id. Right-click the reply, choose "Copy Message Link", and give that.
receipt-no-turn = I have no record of that message as a chat reply to you. A command's answer names its receipt: give that as `id`.
receipt-none = No command of yours has run here yet, and no chat model has answered you here.
receipt-command = Command
receipt-arguments = Arguments
receipt-arguments-taken-out = removed from the ledger
receipt-arguments-none = none
receipt-outcome = Outcome
receipt-started = Started
receipt-took = Took
receipt-called = Called
receipt-by-model = by the chat model, in a chat turn
receipt-by-named-model = by the chat model { $model }, in a chat turn
receipt-by-confirmed-model = by the chat model { $model }, in a chat turn; you confirmed it (interaction { $press })
receipt-by-recovery = by this bot, from what the chat model only pretended to have done
receipt-source = Source
receipt-code = Code
receipt-digest = Digest of the answer
receipt-messages = Messages
receipt-message-sent = { $channel }: sent
receipt-message-sent-directly = { $channel }: refused by Discord, and sent as a direct message
receipt-message-given-up = { $channel }: not sent, and given up
receipt-message-waits = { $channel }: waits to be sent
receipt-by-refresh = by this bot, to keep a live message up to date
receipt-by-due = by this bot, at the time that was asked for
receipt-by-event = by this bot, because something happened
receipt-by-schedule = by this bot, at a time that its module sets
receipts-title = Your receipts here
receipt-proof-button = Proof
receipt-proof = `{ $file }` proves receipt { $id }. Anyone can verify it without the bot, with the bot's public key: `candor receipts verify { $file } --key { $key }`. At the console, `candor receipts export --proof { $id }` prints the proof.
receipt-key = This bot signs its receipts with the key `{ $key }`, fingerprint `{ $fingerprint }`. Anyone can verify a receipt's proof with it.
receipt-not-signed = This bot does not sign its receipts, so it has no proof of this one.
receipts-head = The signed end of this bot's chain of receipts. Keep it: `candor receipts verify --head FILE` compares the chain with it.
receipts-none = No command of yours has run here yet.
receipts-line = `{ $id }` · `{ $command }` · { $outcome } · { $clock } ({ $age })
receipts-older = Older ones are not listed. `/privacy show` has all of them.
receipt-proof-of = `proof` goes with `id`, or alone for your last command here.
receipts-one-of = Give only one of `id`, `reply` and `page`.
outcome-answered = answered
outcome-asked = asked, nothing done
outcome-done = done
outcome-refused = refused
outcome-failed = failed
outcome-timed-out = timed-out
outcome-interrupted = interrupted
outcome-unknown = unknown
turn-title = Chat turn { $id }
turn-route = Route
turn-route-chat = chat
turn-model = Model
turn-model-tools = { $model }, tools { $tools }
turn-offered = Offered
turn-given = Given
turn-given-unknown = not recorded
given-system = the system text
given-exchanges = { $n ->
    [0] no earlier exchange
    [one] 1 earlier exchange
   *[other] { $n } earlier exchanges
}
given-summary = a generated summary
given-words = your words
given-message = a message of { $name }
given-file = the file { $name }
given-picture = the image { $name }
given-bytes = { $n ->
    [one] 1 byte
   *[other] { $n } bytes
}
given-cut = cut after { $n ->
    [one] 1 byte
   *[other] { $n } bytes
}
given-image = not shown: an image
given-gone = not shown: deleted, or not for the bot
given-unreadable = not shown: no text
given-too-large = not shown: too large
given-too-many-pixels = not shown: too many pixels
given-no-picture = not shown: not readable as an image
given-late = not shown: it took too long
given-no-room = not shown: no room for it
given-too-many = not shown: too many files
given-changed = not shown: not the file that was announced
given-unreachable = not shown: it could not be fetched
turn-offered-nothing = nothing
turn-asked = Asked
turn-asked-times = { $steps ->
    [one] { $steps } time
   *[other] { $steps } times
}, { $corrections ->
    [one] { $corrections } correction
   *[other] { $corrections } corrections
}
turn-person = Person
turn-no-answer = No answer
turn-reasoning = Its reasons:
turn-called = Called:
turn-result = answered
turn-called-nothing = The model called no command.
turn-no-receipt = no receipt
turn-stripped = Removed from its words:
turn-stripped-piece = { $kind }, { $n } characters: { $text }
turn-mark = Mark under the reply:
turn-notes = Notes under the reply:
turn-more = and { $n } more
turn-nothing = (nothing)
turn-taken-out = The words of this turn were taken out.
stripped-tool-text = a tool call written as text
stripped-made-up-result = a made-up result

## /privacy

privacy-title = What is kept about you
privacy-shown = The file has all of it. `/privacy erase` erases it. Below is how much there is of each kind and how long it is kept.
privacy-nothing = Nothing is kept about you.
privacy-export = On Discord a file with all of it comes with this answer; here `candor privacy export { $user } FILE` writes it.
privacy-file-cut = There is more than the file holds: this bot's operator can export all of it.
privacy-kept-days = { $n ->
    [one] kept for a day
   *[other] kept for { $n } days
}
privacy-kept-until-removed = kept until it is removed or over
privacy-erase-button = Erase it for good
privacy-erase-question = This erases what this bot keeps about you, everywhere: memories, conversations, records of chat turns, arguments and answers of your receipts, chosen models, waiting times, and what is kept where nobody but you used this bot. This cannot be undone. Receipts stay, without words; so does what you shared with others, such as tasks, files and polls of a server. Where there is no button, `/privacy erase confirm: true` does it.
privacy-erased = This was erased. Receipts stay, without their words.
privacy-old-receipts = { $n ->
    [one] One receipt keeps its arguments until it is removed: it is from before they could be taken out.
   *[other] { $n } receipts keep their arguments until they are removed: they are from before those could be taken out.
}
privacy-erase-nothing = There was nothing to erase.
kept-receipts = Receipts
kept-answers = Answers for `/receipt`
kept-runs = Commands under way
kept-cooldowns = Waiting times
kept-conversations = Chat messages with their answers
kept-models = Chosen models
kept-turns = Records of chat turns
kept-spending = Chat use of a day
kept-live-messages = Live messages
kept-due-calls = Calls at a later time, such as reminders
kept-messages = Messages of commands to channels
kept-records = Memories, and what commands keep of you outside of servers
kept-files = Files where you are alone

## Live messages of /status

live-on = live: refreshed every { $seconds } s until { $until }
live-ended-time = live until { $at }: Discord lets no command's answer be edited for longer
live-ended-replaced = live until { $at }: you started another one
live-ended-crowded = live until { $at }: too many others were started since
live-ended-asked = live until { $at }: it was ended
live-ended-leaving = live until { $at }: this bot is restarting
live-ended-unlisted = live until { $at }: this channel is no longer one for live messages
live-ended-denied = live until { $at }: { $why }
live-left = whoever started it is no longer here, or the bot may not see this channel
live-channel-note = live: refreshed every { $seconds } s
live-channel-on = This channel's live message is { $link }. An operator ends it with `{ $command } live: false` here.
live-channel-has-one = This channel has a live message already. An operator ends it with `{ $command } live: false` here.
live-channel-refused = not live: this bot could not send a message in this channel
live-store = not live: this bot cannot use its store at the moment
live-stopped = The live message was ended.
live-none = There is no live message of yours to end.
live-operators-only = Only an operator ends the live message of a channel. It goes on.
live-picker-only = not live: choose `{ $command }` in Discord's picker for that

## Settings of a server

settings-title = Settings of this server
settings-how = `/settings set` changes a value, `/settings clear` takes it back, and `/settings undo` undoes the last change. What the operator of this bot has set takes precedence.
settings-nothing-allowed = The operator of this bot does not let servers set anything.
settings-in-channel = For this channel, or the category or channel that it belongs to, the operator has set something else: { $settings }.
settings-last-change = Last change: `{ $setting }`, { $age } (number { $number }, receipt { $receipt }).
settings-chat = Chat
settings-chat-channels = Channels and categories for chat
settings-chat-roles = Roles that may chat
settings-write-tools = Whether the chat model may offer changes for confirmation
settings-persona = Persona of the chat model
settings-model = Chat model
settings-language = Language for people whose own is not known
settings-commands = Commands and modules switched off
settings-cooldowns = How often commands may run
settings-cooldowns-button = Change how often
settings-cooldowns-operators = By the operator, which takes precedence: { $cooldowns }
settings-module-settings = Settings of modules
settings-module-settings-button = Change settings of modules
settings-module-settings-none = No module has settings that servers may set.
settings-module-channels = Channels that modules may send to
settings-module-unfit = `{ $setting }` takes { $takes }. Nothing was changed.
settings-unset = no value
settings-of-module-unfit = set in this server, but it does not fit any more: { $takes }
settings-of-modules-more = … and { $n } more
settings-source-operator = set by the operator
settings-source-server = set in this server
settings-source-vanished = set in this server, but no longer offered; the default { $used } is used
settings-source-default = default
settings-source-closed = default; the operator does not let servers set it
settings-none = none
settings-not-shown = the operator's own words, which are not shown
settings-chat-on = Switch chat on
settings-chat-off = Switch chat off
settings-persona-button = Change the persona
settings-undo-button = Undo { $setting } (number { $number })
settings-unknown = There is no setting `{ $name }`. Known: { $known }.
settings-not-allowed = The operator of this bot does not let servers set `{ $setting }`. Nothing was changed.
settings-by-operator = `{ $setting }` is set by the operator of this bot, and that takes precedence over the settings of a server. Nothing was changed.
settings-by-operator-in-part = `{ $setting }` has what the operator of this bot set, and that takes precedence over the settings of a server: { $what }. Nothing was changed.
settings-unfit = `{ $setting }` { $what }. Nothing was changed.
settings-same = `{ $setting }` is already { $now }. Nothing was changed.
settings-changed = `{ $setting }` is now { $now }. Before: { $before }.
settings-still-offered = Discord still shows a command that is off here, and the bot refuses it. To hide it: Server Settings → Integrations → this bot.
settings-meanwhile = `{ $setting }` was changed by somebody else in the meantime, { $age } (receipt { $receipt }). It is now { $now }. This call changed nothing; to change it all the same, add `at: { $at }`.
settings-at-once = Somebody else changed the settings of this server at the same moment. This call changed nothing; look at `/settings show` and try again.
settings-undo-nothing = There is no change to undo. Nothing was changed.
settings-undone-already = Change number { $at } has already been undone. Nothing was changed.
settings-undo-meanwhile = Nothing was undone: `{ $setting }` was changed in the meantime, { $age } (receipt { $receipt }). It is now { $now }. To undo the last change all the same, that of `{ $last }`, write `/settings undo at: { $at }`.
# Each follows the name of a setting.
unfit-switch = must be `on` or `off`
unfit-empty = needs a value, and this one is empty; `/settings clear` takes a setting back
unfit-channels = takes channels and categories, as mentions or ids: `#general #help`
unfit-roles = takes roles, as mentions or ids: `@Members`
unfit-too-many = takes at most { $max }
unfit-too-long = must have at most { $max } characters; this has { $length }
unfit-model = must be one of { $known }
unfit-language = must be one of { $known }
unfit-command = takes commands and modules, separated by commas, and there is no `{ $name }`
unfit-command-near = takes commands and modules, separated by commas, and there is no `{ $name }`. Did you mean `{ $near }`?
unfit-stays = cannot switch off `{ $command }`, which must stay on
unfit-cooldowns = takes commands with a time each, none to 24 h, and each one once: `/tasks add 30s, /poll 5m channel, /memory 1h server`
unfit-cooldown-of = takes commands with a time each, and there is no command `{ $name }`
unfit-cooldown-of-near = takes commands with a time each, and there is no command `{ $name }`. Did you mean `{ $near }`?
unfit-waits = cannot make anybody wait for `{ $command }`
unfit-module-settings = takes settings of modules with a value each, and each one once: `welcome.hint = Say hello; dice.sides = 6`. A value with `;` in it stands in double quotes
unfit-module-setting = takes settings of modules, and there is no `{ $name }` that servers may set
unfit-module-setting-near = takes settings of modules, and there is no `{ $name }` that servers may set. Did you mean `{ $near }`?
unfit-module-channels = takes modules with their channels, each module once: `alerts = #ops #dev; feed = #news`
unfit-channels-of-module = takes modules that say something by themselves, and there is no such module `{ $name }`
unfit-channels-of-module-near = takes modules that say something by themselves, and there is no such module `{ $name }`. Did you mean `{ $near }`?

## What a setting of a module takes. Each is the end of a sentence.

setting-takes-text = a text of at most { $max } bytes that is not empty
setting-takes-one-of = one of { $choices }
setting-takes-whole = a whole number
setting-takes-number = a number
# The first character is a space.
setting-takes-from = {" "}from { $min }
setting-takes-up-to = {" "}up to { $max }
setting-takes-between = {" "}from { $min } to { $max }
setting-takes-switch = true or false
setting-takes-secret = the name of a file with the secret
