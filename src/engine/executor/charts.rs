//! Draws the charts of answers.

use std::sync::Arc;

use tracing::warn;

use candor_core::inbound::Place;
use candor_core::language::{Language, say};
use candor_core::reply::Answer;
use candor_core::reply::chart::Painter;

/// Draws the charts of answers. Without a painter, an answer is only its text.
#[derive(Clone, Default)]
pub struct Charts(pub Option<Arc<dyn Painter>>);

impl Charts {
    /// Draws the answer's chart where pictures can be shown. If drawing fails, the text remains, with a line that says
    /// so.
    pub(crate) async fn drawn(&self, answer: Answer, place: Place, language: Language) -> Answer {
        let (Some(painter), Some(chart)) = (&self.0, &answer.reply.chart) else { return answer };
        if place == Place::Console {
            return answer;
        }
        match painter.paint(chart).await {
            Ok(png) => answer.with_picture(png),
            Err(problem) => {
                warn!(error = problem, "a chart was not drawn");
                answer.with_line(say!(language, "picture-not-drawn"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use async_trait::async_trait;

    use super::*;
    use candor_core::inbound::{ChannelId, GuildId};
    use candor_core::reply::chart::Png;
    use candor_core::reply::{Chart, Reply};
    use candor_core::testing::answered;

    /// A painter that has these results.
    struct Trial(Result<Png, &'static str>);

    #[async_trait]
    impl Painter for Trial {
        async fn paint(&self, _: &Chart) -> Result<Png, String> {
            self.0.clone().map_err(str::to_owned)
        }
    }

    const HERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(2) };

    fn png() -> Png {
        Png(Arc::from([137, 80, 78, 71]))
    }

    fn answer(chart: bool) -> Answer {
        let chart = chart.then(|| Chart {
            title: "Load".to_owned(),
            from: UNIX_EPOCH,
            until: UNIX_EPOCH,
            series: Vec::new(),
            stale: Vec::new(),
            alt_text: "Nothing.".to_owned(),
            png: None,
        });
        answered(1, "status", Reply { chart, ..Reply::text("Load: 1") })
    }

    /// The picture and the text of an answer.
    async fn drawn(painter: Option<Trial>, chart: bool, place: Place) -> (Option<Png>, String) {
        let charts = Charts(painter.map(|painter| Arc::new(painter) as Arc<dyn Painter>));
        let answer = charts.drawn(answer(chart), place, Language::ENGLISH).await;
        (answer.reply.chart.as_ref().and_then(|chart| chart.png.clone()), answer.plain())
    }

    #[tokio::test]
    async fn a_chart_is_drawn_where_pictures_are_shown_and_its_text_stays_everywhere() {
        let text = || "Load: 1".to_owned();
        let paints = || Some(Trial(Ok(png())));
        let fails = || Some(Trial(Err("no font")));
        let cases = [
            (paints(), true, HERE, (Some(png()), text())),
            (paints(), true, Place::Direct { channel: ChannelId(2) }, (Some(png()), text())),
            (paints(), true, Place::Console, (None, text())),
            (paints(), false, HERE, (None, text())),
            (None, true, HERE, (None, text())),
            (fails(), true, Place::Console, (None, text())),
        ];
        for (painter, chart, place, expected) in cases {
            assert_eq!(drawn(painter, chart, place).await, expected, "{place:?}");
        }
        // Whoever asked for a picture is told that there is none.
        let told = format!("Load: 1\n{}", say!(Language::ENGLISH, "picture-not-drawn"));
        assert_eq!(drawn(fails(), true, HERE).await, (None, told));
    }
}
