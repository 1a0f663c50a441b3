# What /memory says.

title = Your memories
kind = { $kind ->
    [journal] journal
    [preference] preference
    [task] task
   *[fact] fact
}
nothing-readable = It contains nothing readable, so nothing was saved.
saved = Saved memory { $memory }
full = You have { $max } memories here, and that is the most, so nothing was saved. `/memory list` shows their numbers and `/memory forget` makes room.
told = told to the chat model here
not-told = not told to the chat model here
count = { $n ->
    [one] 1 memory
   *[other] { $n } memories
}
none = Nothing is remembered about you here.
none-of-kind = Nothing of the kind { $kind } is remembered about you here.
choose-kind = Only one kind
unknown = You have no memory { $id } here. `/memory list` shows them.
forgot = Forgot memory { $id } ({ $kind }). Its words are also taken out of your receipts and of the records of your chat turns; `/clear` forgets a conversation.
private-place = Here the chat model is told your memories: nobody else reads its answers.
shared = In this server the chat model is now told your memories. Others can read its answers.
not-shared = In this server the chat model is told none of your memories.
