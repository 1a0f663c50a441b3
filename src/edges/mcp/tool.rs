//! A tool that a server offers, and the reading of its list.

use std::collections::HashSet;

use rmcp::model::Tool as Listed;
use serde_json::Value;

use crate::error::{McpError, said};

/// The most tools of one server.
pub(crate) const TOOLS_MAX: usize = 200;
/// The most bytes of all their names, words and schemas.
const SCHEMAS_MAX: usize = 256 * 1024;
/// The longest name that MCP allows.
const NAME_MAX: usize = 128;

/// A tool, as its server describes it. Its words are untrusted, and its hints are only hints.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// What it is called by: 1 to 128 visible characters of ASCII, without spaces.
    pub name: String,
    /// Its name for people.
    pub title: Option<String>,
    /// What it does.
    pub description: Option<String>,
    /// The JSON Schema of its arguments: an object.
    pub input_schema: Value,
    /// The JSON Schema of its structured result.
    pub output_schema: Option<Value>,
    /// Whether it says that it changes nothing.
    pub read_only: bool,
    /// Whether it says that it may destroy something; MCP takes that of a tool that says nothing.
    pub destructive: bool,
}

/// The tools of all pages, as they come.
#[derive(Default)]
pub(crate) struct Tools {
    read: Vec<Tool>,
    names: HashSet<String>,
    n_bytes: usize,
}

impl Tools {
    pub(crate) fn add(&mut self, listed: Listed) -> Result<(), McpError> {
        if self.read.len() == TOOLS_MAX {
            return Err(McpError::TooLarge { what: "the list of its tools", max: format!("{TOOLS_MAX} tools") });
        }
        let tool = tool(listed)?;
        let schemas = [Some(&tool.input_schema), tool.output_schema.as_ref()];
        let n_of_schemas: usize = schemas.into_iter().flatten().map(|schema| schema.to_string().len()).sum();
        let words = [Some(&tool.name), tool.title.as_ref(), tool.description.as_ref()];
        let n_of_words: usize = words.into_iter().flatten().map(String::len).sum();
        self.n_bytes += n_of_schemas + n_of_words;
        if SCHEMAS_MAX < self.n_bytes {
            return Err(McpError::TooLarge { what: "the schemas of its tools", max: format!("{SCHEMAS_MAX} bytes") });
        }
        if !self.names.insert(tool.name.clone()) {
            return Err(McpError::malformed(format!("it lists the tool `{}` twice", said(&tool.name))));
        }
        self.read.push(tool);
        Ok(())
    }

    pub(crate) fn into_tools(self) -> Vec<Tool> {
        self.read
    }
}

fn tool(listed: Listed) -> Result<Tool, McpError> {
    let name = listed.name.into_owned();
    if name.is_empty() || NAME_MAX < name.len() || !name.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(McpError::malformed(format!(
            "it lists a tool whose name is not 1 to {NAME_MAX} visible characters of ASCII: `{}`",
            said(&name)
        )));
    }
    let input_schema = Value::Object(listed.input_schema.as_ref().clone());
    if input_schema.get("type").is_none_or(|name| name != "object") {
        let what = format!("the input schema of its tool `{}` is not of the type `object`", said(&name));
        return Err(McpError::malformed(what));
    }
    let hints = listed.annotations.unwrap_or_default();
    let read_only = hints.read_only_hint == Some(true);
    Ok(Tool {
        name,
        title: listed.title.or(hints.title),
        description: listed.description.map(|words| words.into_owned()),
        input_schema,
        output_schema: listed.output_schema.map(|schema| Value::Object(schema.as_ref().clone())),
        read_only,
        destructive: !read_only && hints.destructive_hint != Some(false),
    })
}
