# What /poll says.

title = Poll { $id }
votes = { $n ->
    [one] 1 vote
   *[other] { $n } votes
}
open = open
closed = closed
lasting = Open until { $until }: { $votes }
how = Press an answer to vote, another one to move your vote, the same one to take it back. Closes { $ahead }.
how-more = `/poll show id: { $id }` shows the poll again, `/poll close id: { $id }` ends it.
won = Most votes: { $answers }
nobody = Nobody voted.
no-question = A poll needs a question, and this one contains nothing readable.
few-answers = A poll needs 2 to { $max } answers, and you gave { $n }: separate them with `;` or `|`, such as `tea; coffee`.
many-answers = A poll needs 2 to { $max } answers, and you gave { $n }.
same-answers = Each answer is there once, but { $answer } is there twice.
long-answer = An answer has at most { $max } characters. This one is longer: { $answer }
no-duration = { $typed } is not a duration. Write it like `30m`, `6h` or `3d`.
capital-m = { $typed } is not a duration: `M` may mean minutes or months. Write `m` for minutes, such as `30m`.
too-long = A poll is open for a minute at least and { $days } days at most.
console = Polls are for Discord, so none was started from here.
full = { $max } polls are open here, which is the limit, so none was added. `/poll close` makes room.
share = You have { $max } open polls here, which is the limit, so none was added: { $ids }. `/poll close id:` ends one of yours and makes room.
full-of-person = You have reached the limit of polls that wait for their end, so none was added. `/poll close` makes room.
full-of-votes = This poll has { $max } votes, which is the limit, so yours was not counted.
unknown = There is no poll { $id } here.
no-answer = Poll { $id } has { $n } answers.
vote-closed = Poll { $id } is closed, so your vote changed nothing. `/poll show id: { $id }` shows the result.
closed-already = Poll { $id } is closed already. `/poll show id: { $id }` shows the result.
not-yours = Poll { $id } can be closed by whoever asked it and by people with the permission Manage Messages.
