# What /files says.

title = Files
title-in = Files in `{ $folder }`
more = … and { $n } more.
not-whole = There is more that is not shown: links, names that cannot be typed, or too many entries.
none = There are no files here. `/files write` creates one, `/files put` takes one that you attach.
created = Created the file `{ $path }` with { $size }.
replaced = Replaced the content of the file `{ $path }` with { $size }.
edited = Changed the file `{ $path }`: it has { $size } now.
not-found = `{ $path }` does not contain that text, so nothing was changed. It must be exactly as in the file, with capitals, spaces and line ends.
found-often = That stands in `{ $path }` { $n } times, so nothing was changed. Give more of what stands around it.
missing = There is no file `{ $path }` here.
button-remove = Remove the file
question = This removes the file `{ $path }` with { $size } for everybody here. It cannot be undone. Where there is no button, `/files remove path: { $path } confirm: true` does it.
removed = Removed the file `{ $path }` with { $size }.
empty = The file is empty.
attached = The file is attached as it is.
no-text = `{ $path }` is not text in UTF-8, so it is not shown here.
no-text-attached = The file is not text in UTF-8. It is attached.
backticks = Backticks of the file are shown as ˋ.
invisible = Invisible characters in the file are left out.
