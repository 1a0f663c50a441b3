# What /tasks says.

title = Tasks
no-title = A task needs a title, and this one contains nothing readable.
added = Added task { $id }: { $title }
full = The list is full: it has { $max } tasks, done ones included, so nothing was added. `/tasks list` shows their numbers and `/tasks remove` makes room.
nothing-open = Nothing is open. `/tasks add` adds a task.
open = { $n } open
done-ones = Done: { $n } ({ $numbers })
done = Done: task { $id }, { $title }
done-already = Task { $id } was done already: { $title }. `/tasks list` shows what is open.
removed = Removed task { $id }: { $title }
unknown = There is no task { $id } here. `/tasks list` shows what is open.
