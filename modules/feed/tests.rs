//! The commands as people use them, over a web, records, later calls and channels in memory; and what a feed may say.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use super::page::{ENTRIES_MAX, Page};
use super::*;
use candor_core::contract::{HostServices, HttpError, HttpHosts, HttpResponse, LaterCall};
use candor_core::inbound::{Caller, GuildId, UserId};
use candor_core::testing::{self, InMemory, InMemoryCalls, InMemoryOutbox, Pages, said};

const HERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(2) };
const URL: &str = "https://news.example/feed.xml";

/// In seconds since 1970.
const NOW: u64 = 1_800_000_000;

/// One server, whose operator allows feeds from `news.example` in channel 2, until told otherwise.
struct Server {
    records: Arc<InMemory>,
    calls: Arc<InMemoryCalls>,
    sent: Arc<InMemoryOutbox>,
    pages: Arc<Pages>,
    channels: &'static [u64],
    now: u64,
    /// How many of the later calls were made.
    made: usize,
}

impl Server {
    fn with(page: Result<HttpResponse, HttpError>) -> Self {
        Self {
            records: Arc::default(),
            calls: Arc::default(),
            sent: Arc::default(),
            pages: Arc::new(Pages::default().with(URL, page)),
            channels: &[2],
            now: NOW,
            made: 0,
        }
    }

    fn answers(&mut self, page: Result<HttpResponse, HttpError>) {
        self.pages = Arc::new(Pages::default().with(URL, page));
    }

    fn call(&self, place: Place) -> Call {
        let host = HostServices {
            records: Some(self.records.clone()),
            time: Some(self.calls.clone()),
            outbox: Some(self.sent.clone()),
            http: Some(self.pages.clone()),
            ..HostServices::default()
        };
        let asked = [ServiceName::Records, ServiceName::Time, ServiceName::Http, ServiceName::Send];
        let now = UNIX_EPOCH + Duration::from_secs(self.now);
        let call = testing::call("feed", &host, &asked, Caller::new(UserId(7), "ann"), place, now);
        let channels = self.channels.iter().copied().map(ChannelId).collect();
        let hosts = HttpHosts::declared(["news.example"]);
        Call { services: call.services.sending_to(channels).with_http_hosts(hosts), ..call }
    }

    async fn add(&self, url: &str) -> String {
        said(add(NewFeed { url: url.to_owned(), channel: None }, self.call(HERE)).await)
    }

    async fn list(&self) -> String {
        said(list(NoArguments {}, self.call(HERE)).await)
    }

    /// Makes the next call that waits, at its time.
    async fn look(&mut self) -> String {
        let LaterCall { path, arguments, due, .. } = self.calls.all()[self.made].clone();
        self.made += 1;
        assert_eq!(path.to_string(), "/feed add");
        let due_s = due.duration_since(UNIX_EPOCH).unwrap().as_secs();
        self.now = self.now.max(due_s);
        let new = serde_json::from_value(arguments.into()).unwrap();
        said(add(new, Call { due: Some(due), ..self.call(HERE) }).await)
    }

    /// When the last look that was asked for is due, in minutes from now.
    fn next_min(&self) -> u64 {
        let due = self.calls.all().last().unwrap().due;
        (due.duration_since(UNIX_EPOCH).unwrap().as_secs() - self.now) / 60
    }

    /// The messages so far, each with its channel.
    fn told(&self) -> Vec<(u64, String)> {
        self.sent.all().iter().map(|sent| (sent.channel.0, sent.message.reply().plain())).collect()
    }
}

fn answer(status: u16, body: &str) -> Result<HttpResponse, HttpError> {
    let etag = Some(format!("\"{}\"", body.len()));
    let validators = Validators { etag, last_modified: None };
    Ok(HttpResponse { status, validators, body: body.into(), content_type: None })
}

/// An RSS feed with these entries, newest first, each a day after the one before it.
fn rss(entries: impl IntoIterator<Item = u32>) -> Result<HttpResponse, HttpError> {
    let item = |n: u32| {
        let (day, month) = (n % 28 + 1, ["Feb", "Mar", "Apr"][(n / 28) as usize]);
        format!(
            "<item><title>Entry *{n}*</title><link>https://news.example/{n}</link><guid>g{n}</guid>\
             <pubDate>{day} {month} 2027 00:00:00 GMT</pubDate></item>"
        )
    };
    let items: String = entries.into_iter().map(item).collect();
    answer(200, &format!("<rss version=\"2.0\"><channel><title>News</title>{items}</channel></rss>"))
}

#[tokio::test]
async fn what_is_new_is_told_once_in_order_and_nothing_of_before() {
    let mut server = Server::with(rss([2, 1]));
    let added = server.add(URL).await;
    assert_eq!(
        added,
        "Feed 1 added: News. New entries are posted in <#2> from now on; the bot looks every 30 minutes."
    );
    assert_eq!(server.next_min(), 30);
    assert_eq!(server.look().await, format!("Looked at {URL}: 0 new."));
    server.answers(rss([4, 3, 2, 1]));
    assert_eq!(server.look().await, format!("Looked at {URL}: 2 new."));
    // As it is, and once more without an entry, which then comes back.
    for entries in [&[4, 3, 2, 1][..], &[4, 2, 1], &[4, 3, 2, 1]] {
        server.answers(rss(entries.iter().copied()));
        assert_eq!(server.look().await, format!("Looked at {URL}: 0 new."));
    }
    let told = "News\n**Entry \\*3\\*** · <t:1801699200:R>\nhttps://news.example/3\n\n\
                **Entry \\*4\\*** · <t:1801785600:R>\nhttps://news.example/4";
    assert_eq!(server.told(), [(2, told.to_owned())]);
}

#[tokio::test]
async fn of_many_new_entries_the_newest_are_told_and_the_others_are_a_number() {
    let mut server = Server::with(rss([1]));
    server.add(URL).await;
    server.answers(rss((1..=9).rev()));
    server.look().await;
    let [(_, told)] = &server.told()[..] else { panic!("{:?}", server.told()) };
    assert!(!told.contains("/4\n") && told.contains("/5\n") && told.contains("/9\n"), "{told}");
    assert!(told.ends_with("… and 3 earlier ones"), "{told}");
}

#[tokio::test]
async fn a_page_that_did_not_change_is_not_sent_again() {
    let mut server = Server::with(rss([1]));
    server.add(URL).await;
    server.look().await;
    let asked = server.pages.asked();
    assert_eq!(asked[0].1, Validators::default());
    assert!(asked[1].1.etag.is_some(), "{asked:?}");
}

#[tokio::test]
async fn a_feed_that_fails_is_read_after_growing_pauses_and_the_list_says_why() {
    let mut server = Server::with(rss([1]));
    server.add(URL).await;
    server.answers(answer(503, "<rss/>"));
    let mut pauses = Vec::new();
    for _ in 0..7 {
        assert_eq!(server.look().await, format!("{URL} was not read. The server answered with status 503."));
        pauses.push(server.next_min());
    }
    assert_eq!(pauses, [60, 120, 240, 480, 960, 1_440, 1_440]);
    let listed = server.list().await;
    assert!(listed.contains("**not read (7×)**: The server answered with status 503."), "{listed}");
    for (page, why) in [
        (Err(HttpError::TimedOut), HttpError::TimedOut.told(Language::default())),
        (answer(200, "<html><body>Not found</body></html>"), "What is there is no RSS or Atom feed.".to_owned()),
    ] {
        server.answers(page);
        assert_eq!(server.look().await, format!("{URL} was not read. {why}"));
    }
    // What came meanwhile is told, and all is well again.
    server.answers(rss([2, 1]));
    server.look().await;
    assert_eq!((server.told().len(), server.next_min()), (1, 30));
    let next = server.now + 1_800;
    let listed = server.list().await;
    let fine = format!("Feeds\n1 of 15\n1 · {URL} → <#2>\nread <t:{}:R>, next look <t:{next}:R>", server.now);
    assert_eq!(listed, fine);
}

#[tokio::test]
async fn what_cannot_be_told_now_is_told_later() {
    let mut server = Server::with(rss([1]));
    server.add(URL).await;
    server.answers(rss([2, 1]));
    server.channels = &[3];
    assert_eq!(server.look().await, format!("{URL} was not read. I may no longer send messages to <#2>."));
    assert_eq!(server.told(), []);
    server.channels = &[2];
    server.look().await;
    assert_eq!(server.told().len(), 1);
}

#[tokio::test]
async fn what_cannot_be_added_is_refused_and_why() {
    let server = Server::with(rss([1]));
    for (url, why) in [
        ("http://news.example/feed.xml", "No feed was added. Only an `https` address"),
        ("https://other.example/", "No feed was added. The operator of this bot has not allowed"),
        ("https://news.example/none", "No feed was added. "),
    ] {
        let refused = server.add(url).await;
        assert!(refused.starts_with(&format!("! {why}")), "{url}: {refused}");
    }
    let elsewhere = Some(entity::Channel { id: 3, name: Some("c".to_owned()), kind: Some(0) });
    let refused = said(add(NewFeed { url: URL.to_owned(), channel: elsewhere }, server.call(HERE)).await);
    assert!(refused.contains("I may not send messages to <#3>") && refused.contains("`feed = [\"3\"]`"), "{refused}");
    let nowhere = Server { channels: &[], ..Server::with(rss([1])) };
    assert!(nowhere.add(URL).await.contains("has not allowed this in any channel yet"));
    let here = NewFeed { url: URL.to_owned(), channel: None };
    let console = said(add(here, server.call(Place::Console)).await);
    assert!(console.starts_with("! Feeds are posted in channels of a server"), "{console}");

    assert_eq!(
        (server.calls.all().len(), server.list().await.as_str()),
        (0, "Feeds\n0 of 15\nThis server has no feeds. `/feed add` adds one.")
    );
    server.add(URL).await;
    assert_eq!(server.add(URL).await, "! That feed is already posted in <#2>: it is feed 1.");
    let many = (2..=FEEDS_MAX).fold(Pages::default(), |pages, n| pages.with(&format!("{URL}?{n}"), rss([1])));
    let server = Server { pages: Arc::new(many), ..server };
    for n in 2..=FEEDS_MAX {
        assert!(server.add(&format!("{URL}?{n}")).await.starts_with("Feed "));
    }
    assert!(server.add(&format!("{URL}?99")).await.starts_with("! This server has 15 feeds"));
}

#[tokio::test]
async fn a_removed_feed_is_looked_at_no_more_also_if_somebody_else_removes_it() {
    let mut server = Server::with(rss([1]));
    server.add(URL).await;
    let waits = server.calls.all();
    let number = || FeedNumber { id: 1 };
    assert_eq!(said(remove(number(), server.call(HERE)).await), format!("Removed feed 1: {URL}"));
    assert_eq!(server.calls.all().len(), 0);
    let again = said(remove(number(), server.call(HERE)).await);
    assert_eq!(again, "! This server has no feed 1. `/feed list` shows them.");
    // The call of whoever added it stays if another person removes it.
    candor_core::contract::DueCalls::call_later(&*server.calls, &waits[0]).await.unwrap();
    server.answers(rss([2, 1]));
    assert!(server.look().await.starts_with("This feed was removed"));
    assert_eq!((server.told().len(), server.pages.asked().len(), server.calls.all().len()), (0, 0, 1));
}

#[tokio::test]
async fn a_lost_look_is_made_up_for_by_the_list_and_by_the_look_at_another_feed() {
    let mut server = Server::with(rss([1]));
    server.add(URL).await;
    // Its run failed, say.
    server.made = 1;
    server.now += 3 * 3_600;
    let listed = server.list().await;
    let said = format!("not read since <t:{NOW}:R>; the next try is <t:{}:R>", server.now + 60);
    assert!(listed.ends_with(&said), "{listed}");
    server.answers(rss([2, 1]));
    assert!(server.look().await.ends_with("1 new."));
    // The first look after all: another took its place.
    let late = server.calls.all()[0].clone();
    let new = serde_json::from_value(late.arguments.into()).unwrap();
    let late = testing::said(add(new, Call { due: Some(late.due), ..server.call(HERE) }).await);
    assert!(late.starts_with("This feed was removed, or somebody else looks at it"), "{late}");
    assert_eq!(server.told().len(), 1);

    let pages = Pages::default().with(URL, rss([2, 1])).with(&format!("{URL}?b"), rss([1]));
    server.pages = Arc::new(pages);
    server.made = server.calls.all().len();
    server.now += 3 * 3_600;
    server.add(&format!("{URL}?b")).await;
    server.look().await;
    let asked: Vec<_> = server.calls.all().iter().skip(server.made).map(|call| call.arguments["url"].clone()).collect();
    assert_eq!(asked, [format!("{URL}?b"), URL.to_owned()]);
}

/// What is told of each entry of a feed, oldest first.
fn told(feed: &str) -> Vec<String> {
    Page::read(feed.as_bytes(), URL).unwrap().entries.iter().map(page::Entry::told).collect()
}

#[test]
fn rss_atom_and_json_feeds_are_read() {
    let atom = r#"<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title>
        <entry><id>a</id><title type="html">&lt;b&gt;Milk&lt;/b&gt; &amp;amp; tea, 1 &amp;lt; 2</title>
        <updated>2027-01-15T08:00:00Z</updated><link rel="self" href="/self"/><link href="/milk"/></entry></feed>"#;
    let rdf = r#"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
        <channel><title>News</title></channel><item><title>Tea</title><link>https://news.example/tea</link></item></rdf:RDF>"#;
    let json = r#"{"version":"https://jsonfeed.org/version/1","title":"News","items":[{"id":"1","title":"Tea",
        "content_text":"Hot","url":"https://news.example/tea"}]}"#;
    let untitled = "<rss version=\"2.0\"><channel><title>News</title><item><guid>1</guid>\
        <description>&lt;p&gt;Hello &lt;i&gt;there&lt;/i&gt;&lt;/p&gt;</description></item></channel></rss>";
    for (feed, expected) in [
        (atom, "**Milk & tea, 1 < 2** · <t:1800000000:R>\nhttps://news.example/milk"),
        (rdf, "**Tea**\nhttps://news.example/tea"),
        (json, "**Tea**\nhttps://news.example/tea"),
        (untitled, "**Hello there**"),
    ] {
        assert_eq!(told(feed), [expected], "{feed}");
    }
}

/// An RSS feed with one entry.
fn item(item: &str) -> String {
    format!("<rss version=\"2.0\"><channel><item>{item}</item></channel></rss>")
}

#[test]
fn links_lead_to_pages_of_the_web_and_hide_nothing() {
    for (link, expected) in [
        ("https://a.example/x_y?z=1", Some("https://a.example/x_y?z=1")),
        ("http://a.example/", Some("http://a.example/")),
        ("/relative", Some("https://news.example/relative")),
        ("https://a.example/*b*", Some("https://a.example/%2Ab%2A")),
        ("https://bücher.example/ü", Some("https://xn--bcher-kva.example/%C3%BC")),
        ("javascript:alert(1)", None),
        ("data:text/html,x", None),
        ("https://discord.com@evil.example/", None),
        ("ftp://a.example/", None),
    ] {
        let lines = told(&item(&format!("<title>t</title><link>{link}</link>")));
        let expected = expected.map_or("**t**".to_owned(), |link| format!("**t**\n{link}"));
        assert_eq!(lines, [expected], "{link}");
    }
    for (length, is_shown) in [(500, true), (1_900, true), (2_000, false)] {
        let long = format!("<title>t</title><link>https://a.example/{}</link>", "x".repeat(length));
        assert_eq!(told(&item(&long))[0].contains("https://a.example/xx"), is_shown, "{length}");
    }
}

#[test]
fn a_title_has_its_characters_once_and_no_tags() {
    for (title, expected) in [
        ("Vec&lt;u8&gt; and Option&lt;T&gt;", "Vec<u8> and Option<T>"),
        ("&lt;b&gt;Milk&lt;/b&gt;, &lt;br/&gt;tea &lt;!-- x --&gt;&amp; 1 &lt; 2", "Milk , tea & 1 < 2"),
        ("AT&amp;T, AT&amp;amp;T", "AT&T, AT&T"),
        ("&amp;amp;lt;b&amp;amp;gt;", "&lt;b&gt;"),
        ("<![CDATA[It&#8217;s &#x2014; fine&hellip; &ouml;]]>", "It’s — fine… ö"),
        ("M&Auml;nner &rarr; &#228;&#xE4;", "MÄnner → ää"),
        ("It&#146;s, it&amp;#x92;s", "It’s, it’s"),
        ("👩\u{200d}👧 für alle", "👩\u{200d}👧 für alle"),
        ("&amp;unknown; &amp;#xd83d; &amp; &amp;", "&unknown; � & &"),
    ] {
        let lines = told(&item(&format!("<title>{title}</title><guid isPermaLink=\"false\">1</guid>")));
        assert_eq!(lines, [format!("**{}**", escaped(expected))], "{title}");
    }
    let atom = |kind: &str| {
        format!(
            "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>A</title><entry><id>1</id>\
             <title{kind}>&amp;lt;i&amp;gt; Caf&amp;eacute; Vec&lt;u8&gt;</title></entry></feed>"
        )
    };
    let shown = [("", "&lt;i&gt; Caf&eacute; Vec<u8>"), (" type=\"html\"", "<i> Café Vec<u8>")];
    for (kind, expected) in shown {
        assert_eq!(told(&atom(kind)), [format!("**{}**", escaped(expected))], "{kind}");
    }
}

#[test]
fn what_html_does_not_show_is_left_out() {
    for (title, expected) in [
        ("a<!-- if x > 1 -->b", "a b"),
        ("a<!-- never closed > b", "a"),
        ("<style media=\"x\">p { color: red }</STYLE >Milk", "Milk"),
        ("Milk<script>if (1 > 0) { x() }</script>", "Milk"),
        ("Milk<style>p", "Milk"),
        ("HashMap<style_of, u8>", "HashMap<style_of, u8>"),
    ] {
        let lines = told(&item(&format!("<title><![CDATA[{title}]]></title>")));
        assert_eq!(lines, [format!("**{}**", escaped(expected))], "{title}");
    }
}

#[test]
fn an_id_is_the_link_of_rss_unless_it_says_that_it_is_none() {
    let url = "https://news.example/?p=1&amp;q=2";
    for (id, is_link) in [
        (format!("<guid>{url}</guid>"), true),
        (format!("<guid isPermaLink=\"true\">\n{url}\n</guid>"), true),
        (format!("<guid isPermaLink='false'>{url}</guid>"), false),
        ("<guid isPermaLink=\"false\"><![CDATA[https://news.example/?p=1&q=2]]></guid>".to_owned(), false),
        ("<guid>tag:news.example,2027:1</guid>".to_owned(), false),
    ] {
        let lines = told(&item(&format!("<title>t</title>{id}")));
        let expected = if is_link { "**t**\nhttps://news.example/?p=1&q=2" } else { "**t**" };
        assert_eq!(lines, [expected], "{id}");
    }
    let both = item(&format!("<title>t</title><link>/page</link><guid>{url}</guid>"));
    assert_eq!(told(&both), ["**t**\nhttps://news.example/page"]);
    let atom = "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>A</title><entry><id>https://news.example/1</id>\
                <title>t</title></entry></feed>";
    assert_eq!(told(atom), ["**t**"]);
}

#[test]
fn a_bad_sign_is_mended_and_a_broken_entry_is_left_out() {
    let good = "<item><title>good</title><link>https://news.example/good</link></item>";
    for (bad, expected) in [
        (
            "<title>Tea & milk</title><link>https://news.example/?a=1&b=2&copy=3</link>",
            "**Tea & milk**\nhttps://news.example/?a=1&b=2&copy=3",
        ),
        ("<title>&#55357;&#56841; and &#xD83D;&#xDE00; smile</title>", "**😉 and 😀 smile**"),
        ("<title>half &#55357; or &#0; no &#99999999999; sign</title>", "**half � or � no � sign**"),
        ("<title>&#x26;&#60; &unknown;</title>", "**&< &unknown;**"),
        ("<title><![CDATA[a & b]]></title><!-- & -->", "**a & b**"),
        ("<title>never ends", ""),
        ("<title>crossed</b></title>", ""),
        ("<title>a < b</title>", ""),
        ("<title>t</title><link>https://news.example/</wrong>", ""),
    ] {
        let feed = format!("<rss version=\"2.0\"><channel><title>N</title><item>{bad}</item>{good}</channel></rss>");
        let mut lines = told(&feed);
        assert_eq!(lines.remove(0), "**good**\nhttps://news.example/good", "{bad}");
        assert_eq!(lines.concat(), expected, "{bad}");
    }
    let atom = "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>A</title><entry><id>1</id><title>a</b></entry>\
                <entry><id>2</id><title>b</title><link href=\"/?a=1&b=2\"/></entry></feed>";
    assert_eq!(told(atom), ["**b**\nhttps://news.example/?a=1&b=2"]);
    let rdf = r#"<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
        xmlns="http://purl.org/rss/1.0/"><channel><title>N</title></channel><item><title>x</item>
        <item><title>Tea</title><link>/tea</link></item></rdf:RDF>"#;
    assert_eq!(told(rdf), ["**Tea**\nhttps://news.example/tea"]);
}

#[test]
fn an_item_of_json_that_is_none_is_left_out() {
    let items = r#"[{"id":2,"url":"https://news.example/2","title":"number"},
        {"id":"3","title":"cut \ud83d"},{"id":"4","title":"whole \ud83d\ude00 \\ud83d"},
        {"id":"5","title":{"no":"text"}},"nothing",{"id":"6","title":"last"}]"#;
    let feed = format!(r#"{{"version":"https://jsonfeed.org/version/1","title":"J","items":{items}}}"#);
    let lines = ["**last**", "**whole 😀 \\\\ud83d**", "**cut �**", "**number**\nhttps://news.example/2"];
    assert_eq!(told(&feed), lines);
}

#[test]
fn a_feed_is_read_in_its_own_encoding_and_a_bad_byte_costs_no_more_than_its_sign() {
    let feed = |encoding: &str| format!("<?xml version=\"1.0\" encoding='{encoding}'?>{}", item("<title>@</title>"));
    let with = |text: &str, title: &[u8]| -> Vec<u8> {
        let (before, behind) = text.split_once('@').unwrap();
        [before.as_bytes(), title, behind.as_bytes()].concat()
    };
    let utf_16 = |text: String| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    for (bytes, title) in [
        (with(&feed("utf-8"), "Привет".as_bytes()), "Привет"),
        (with(&feed("windows-1251"), b"\xcf\xf0\xe8\xe2\xe5\xf2 & \xc0"), "Привет & А"),
        (with(&feed("ISO-8859-1"), b"M\xc4nner"), "MÄnner"),
        (with(&feed("utf-8"), b"M\xc4nner"), "M�nner"),
        (with(&item("<title>@</title>"), b"caf\xe9"), "caf�"),
        (utf_16(feed("utf-16").replace('@', "Ä & b")), "Ä & b"),
        ([&[0xff, 0xfe], &utf_16(feed("utf-16").replace('@', "Ä"))[..]].concat(), "Ä"),
        (with(&feed("utf-16"), "ü".as_bytes()), "ü"),
    ] {
        let page = Page::read(&bytes, URL).unwrap_or_else(|| panic!("{title}"));
        assert_eq!(page.entries[0].told(), format!("**{title}**"));
    }
}

#[tokio::test]
async fn a_title_pings_nobody_and_is_no_line_of_the_host() {
    let hostile = "<title>&lt;@7&gt; @everyone [free](https://evil.example)\n-# ✓ /status ran `x` **b**</title>";
    let mut server = Server::with(rss([]));
    server.add(URL).await;
    server.answers(answer(200, &item(hostile)));
    server.look().await;
    let [(_, told)] = &server.told()[..] else { panic!("{:?}", server.told()) };
    assert!(!told.contains("<@7>") && told.contains("\\[free]") && told.contains("\\`x\\` \\*\\*b"), "{told}");
    assert_eq!(told.lines().count(), 1, "{told}");
    let long = item(&format!("<title>{}</title>", "*".repeat(9_999)));
    server.answers(answer(200, &long));
    server.look().await;
    assert!(server.told()[1].1.chars().count() < 310, "{}", server.told()[1].1);
}

#[test]
fn an_entry_is_known_again_by_its_id_or_else_by_its_link_and_title() {
    let marks = |feed: &str| -> Vec<String> {
        Page::read(feed.as_bytes(), URL).unwrap().entries.into_iter().map(|entry| entry.mark).collect()
    };
    let bare = item("<title>a</title><link>https://news.example/1</link>");
    assert_eq!(marks(&bare), marks(&bare), "no number at random");
    let renamed = |title: &str| item(&format!("<guid>g</guid><title>{title}</title>"));
    assert_eq!(marks(&renamed("a")), marks(&renamed("b")));
    // Kept in stores: it never changes.
    assert_eq!(marks(&renamed("a")), ["af63da4c8601e926"]);
    let twice = item("<guid>g</guid><title>a</title></item><item><guid>g</guid><title>a</title>");
    assert_eq!(marks(&twice).len(), 1);
}

#[tokio::test]
async fn what_is_remembered_has_a_bound() {
    let many = |from: u32| {
        let items = (from..from + 3_000).map(|n| format!("<item><guid>{n}</guid><title>t</title></item>"));
        answer(200, &format!("<rss version=\"2.0\"><channel>{}</channel></rss>", items.collect::<String>()))
    };
    let mut server = Server::with(many(0));
    server.add(URL).await;
    for from in [10_000, 20_000, 30_000] {
        server.answers(many(from));
        server.look().await;
    }
    let call = server.call(HERE);
    let kept = call.services.records().unwrap().get(1).await.unwrap().unwrap();
    assert_eq!(kept["seen"].as_array().unwrap().len(), 2 * ENTRIES_MAX);
    let marks: BTreeSet<_> = kept["seen"].as_array().unwrap().iter().map(|mark| mark.as_str().unwrap()).collect();
    assert_eq!(marks.len(), 2 * ENTRIES_MAX);
}

#[test]
fn a_feed_that_is_broken_anywhere_is_read_or_refused() {
    let whole = "<?xml version=\"1.0\" encoding=\"utf-8\"?><rss version=\"2.0\"><channel><title>ü</title><item>\
                 <title><![CDATA[a &amp; b]]></title><link>https://news.example/1</link><guid>g</guid>\
                 <pubDate>Mon, 1 Feb 2027 00:00:00 GMT</pubDate></item></channel></rss>";
    let refused = (0..whole.len()).filter(|end| Page::read(&whole.as_bytes()[..*end], URL).is_none()).count();
    assert!(whole.len() - 10 < refused, "{refused}");
    for at in 0..whole.len() {
        for byte in [0, b'<', b'>', b'"', b'&', 0xff] {
            let mut broken = whole.as_bytes().to_vec();
            broken[at] = byte;
            drop(Page::read(&broken, URL));
        }
    }
    let nested = format!("<rss version=\"2.0\"><channel>{}", "<item>".repeat(100_000));
    assert!(Page::read(nested.as_bytes(), URL).is_none());
    for date in ["31 Dec 9999 23:59:59 GMT", "1 Jan 99999 00:00:00 GMT", "1 Jan 1900 00:00:00 GMT", "soon"] {
        drop(told(&item(&format!("<title>t</title><pubDate>{date}</pubDate>"))));
    }
}
