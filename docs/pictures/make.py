"""Makes the pictures of the README: an invented answer beside Candor's own, in a light and a dark theme.

    cargo build --release --locked --bin candor
    cargo build --release --locked --package discord-twin --features cli
    python3 docs/pictures/make.py              all of it
    python3 docs/pictures/make.py --page dark  print the page with the replies that are kept, to look at in a browser

Plays scenario.jsonl with the bot and the twin, keeps the bot's replies in replies.json, writes a page that shows them beside
invented.json, and has Chromium take its picture. A chat model's words come from invented.json as well, so that both sides
have the same model. tests/it/operation/pictures.rs holds that the bot still replies so, and that the pictures show it.

Needs Chromium, pngquant, and the fonts Noto Sans, Noto Color Emoji and DejaVu Sans Mono. Debian has them as chromium,
pngquant, fonts-noto-core, fonts-noto-color-emoji and fonts-dejavu-core. CHROMIUM names another browser, CANDOR and
DISCORD_TWIN other builds than those in target/release.
"""

import datetime
import html
import http.server
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import zlib

HERE = pathlib.Path(__file__).resolve().parent
BUILDS = HERE.parent.parent / "target" / "release"
CANDOR = os.environ.get("CANDOR", BUILDS / "candor")
TWIN = os.environ.get("DISCORD_TWIN", BUILDS / "discord-twin")
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome") or "chromium"

THEMES = ("light", "dark")
WIDTH = 920
INVENTED = json.loads((HERE / "invented.json").read_text())
# What stands under an invented answer: what is wrong with it.
WRONG = {
    "/incidents": "There is no such command. The model made all of this up.",
    "add milk to our list": "Nothing was added to any list.",
    "/status": "Nothing was measured. These figures come from nowhere.",
}
# What stands under the bot's own.
RIGHT = {
    "/incidents": "No model was asked.",
    "add milk to our list": "The same model, the same words, and what really happened.",
    "/status": "A command that ran, with its receipt.",
}


# Replies


class Model(http.server.BaseHTTPRequestHandler):
    """A chat model that claims to have done what it was asked for."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        words = INVENTED[asked["messages"][-1]["content"]]
        answer = {"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": words}}]}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def record():
    """Plays the scenario with the bot, and returns what its people said, each with the bot's reply."""
    model = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        metrics = json.loads((HERE / "metrics.json").read_text())
        metrics["generated_at"] = datetime.datetime.now(datetime.timezone.utc).isoformat()
        (folder / "live").mkdir()
        (folder / "live" / "metrics.json").write_text(json.dumps(metrics))
        settings = (HERE / "config.toml").read_text()
        (folder / "config.toml").write_text(settings.replace("{model}", f"http://127.0.0.1:{model.server_port}/v1"))
        log = folder / "requests.jsonl"
        arguments = ["--listen", "127.0.0.1:0", "--scenario", HERE / "scenario.jsonl", "--log", log]
        twin = subprocess.Popen([TWIN, *arguments], stdout=subprocess.PIPE, text=True)
        address = re.search(r"http://[0-9.:]+", twin.stdout.readline())[0].rstrip(".")
        environment = {key: value for key, value in os.environ.items() if not key.startswith("DISCORD_")}
        environment |= {"DISCORD_PROXY": address, "DISCORD_TOKEN": "any.token"}
        with open(folder / "log", "w") as bot_log:
            bot = subprocess.Popen([CANDOR, "run"], cwd=folder, env=environment, stdout=bot_log, stderr=bot_log)
        said, _ = twin.communicate(timeout=60)
        bot.terminate()
        bot.wait(timeout=30)
        if twin.returncode != 0:
            sys.exit(f"{said}\n{(folder / 'log').read_text()}")
        replies = [reply for line in log.read_text().splitlines() if (reply := shown(json.loads(line)))]
    steps = [json.loads(line) for line in (HERE / "scenario.jsonl").read_text().splitlines() if line.startswith("{")]
    asked = [step["say"] if "say" in step else f"/{step['slash']}" for step in steps if "expect" not in step]
    return [{"asked": asked, **reply} for asked, reply in zip(asked, replies, strict=True)]


def shown(request):
    """What a person sees of a request of the bot; nothing, if it is none that shows anything."""
    is_callback = request["path"].endswith("/callback")
    if request["method"] != "POST" or not (is_callback or request["path"].endswith("/messages")):
        return None
    message = request["body"]["data"] if is_callback else request["body"]
    rows = message.get("components", [])
    buttons = [button["label"] for row in rows for button in row["components"]]
    return {"content": message.get("content", ""), "embeds": message["embeds"], "buttons": buttons}


# The page


def marked(text):
    """The few marks of Discord that the replies use."""
    lines = []
    for line in text.split("\n"):
        small = line.startswith("-# ")
        line = html.escape(line.removeprefix("-# "), quote=False)
        line = re.sub(r"`([^`]+)`", r"<code>\1</code>", line)
        # The replies are seconds old, and Discord says it in words.
        line = re.sub(r"&lt;t:\d+:R&gt;", '<span class="moment">a few seconds ago</span>', line)
        line = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", line)
        lines.append(f'<div class="{"small" if small else "line"}">{line}</div>')
    return "".join(lines)


def embed(embed):
    fields = "".join(
        f'<div class="field"><b>{html.escape(field["name"])}</b>{marked(field["value"])}</div>' for field in embed["fields"]
    )
    title, footer = html.escape(embed["title"]), html.escape(embed["footer"]["text"])
    description = marked(embed["description"]) if "description" in embed else ""
    return (
        f'<div class="embed" style="border-color: #{embed["color"]:06x}"><b class="title">{title}</b>{description}'
        f'<div class="fields">{fields}</div><div class="footer">{footer}</div></div>'
    )


def message(who, colour, body, app=False):
    badge = '<span class="app">APP</span>' if app else ""
    return (
        f'<div class="message"><div class="face" style="background: {colour}">{who[0]}</div>'
        f'<div class="body"><div class="who"><b>{who}</b>{badge}</div>{body}</div></div>'
    )


def conversation(asked, bot, colour, reply, note, kind):
    if asked == "/status":
        # Chosen in the picker, so Discord shows who used it, and no message.
        before = '<div class="used"><i class="dot"></i><b>Ana</b> used <code>/status</code></div>'
    else:
        before = message("Ana", "#c2478d", f'<div class="line"><span class="mention">@{bot}</span> {html.escape(asked)}</div>')
    return f'<section class="{kind}">{before}{message(bot, colour, reply, app=True)}<p class="note">{note}</p></section>'


def page(replies, theme):
    rows = []
    for reply in replies:
        asked = reply["asked"]
        rows.append(conversation(asked, "SomeBot", "#80848e", marked(INVENTED[asked]), WRONG[asked], "wrong"))
        body = marked(reply["content"]) if reply["content"] else ""
        body += "".join(map(embed, reply["embeds"]))
        body += "".join(f'<span class="button">{html.escape(label)}</span>' for label in reply["buttons"])
        rows.append(conversation(asked, "Candor", "#2f7d6d", body, RIGHT[asked], "right"))
    return f"""<!doctype html>
<html lang="en" class="{theme}"><meta charset="utf-8"><title>Invented, and by Candor</title>
<style>{(HERE / "page.css").read_text()}</style>
<main style="width: {WIDTH}px">
<header class="wrong"><b>A bot that lets a model answer for its commands</b><span>Illustration: these replies are invented</span></header>
<header class="right"><b>Candor</b><span>Its real replies, as it sent them</span></header>
{"".join(rows)}
</main></html>
"""


# The pictures


def picture(page, replies, file):
    """Has Chromium take the picture of a page, and puts the replies that it shows into the file."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "page.html").write_text(page)
        common = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
        common += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
        common += ["--hide-scrollbars", "--force-device-scale-factor=2", f"--user-data-dir={folder / 'profile'}"]
        url = (folder / "page.html").as_uri()
        # The page knows its height once it is laid out.
        measure = "<script>document.title = document.querySelector('main').offsetHeight</script></html>"
        (folder / "measured.html").write_text(page.replace("</html>", measure))
        dump = [*common, f"--window-size={WIDTH},600", "--dump-dom", (folder / "measured.html").as_uri()]
        dumped = subprocess.run(dump, capture_output=True, text=True, check=True, timeout=120).stdout
        height = int(re.search(r"<title>(\d+)</title>", dumped)[1])
        taken = folder / "taken.png"
        take = [*common, f"--window-size={WIDTH},{height}", f"--screenshot={taken}", url]
        subprocess.run(take, capture_output=True, check=True, timeout=120)
        # A third of the size, and no difference to be seen.
        subprocess.run(["pngquant", "--force", "--strip", f"--output={taken}", "256", taken], check=True)
        file.write_bytes(described(taken.read_bytes(), replies))
    print(f"{file.name}: {WIDTH} x {height}, twice as many pixels, {file.stat().st_size} bytes")


def described(png, text):
    """The picture with a text in it, as a chunk `iTXt` behind the header."""
    data = b"iTXt" + b"Description\0\0\0\0\0" + text.encode()
    chunk = struct.pack(">I", len(data) - 4) + data + struct.pack(">I", zlib.crc32(data))
    # Eight bytes of signature, and a header of 25.
    return png[:33] + chunk + png[33:]


def main():
    match sys.argv[1:]:
        case []:
            replies = record()
            text = json.dumps(replies, indent=2, ensure_ascii=False) + "\n"
            (HERE / "replies.json").write_text(text)
            for theme in THEMES:
                picture(page(replies, theme), text, HERE / f"candor-{theme}.png")
        case ["--page", theme] if theme in THEMES:
            print(page(json.loads((HERE / "replies.json").read_text()), theme), end="")
        case _:
            sys.exit(__doc__)


main()
