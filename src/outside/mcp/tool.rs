//! A tool that a server offers, and the reading of its list.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::mcp::error::{McpError, said};

pub(crate) const TOOLS_MAX: usize = 200;
/// The most bytes of all their names, descriptions and schemas. Tools that do not fit are left out.
const SCHEMAS_MAX: usize = 256 * 1024;
/// The longest name that MCP allows.
const NAME_MAX: usize = 128;

/// A tool as its server describes it. Its text is untrusted, and its hints are only hints.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// The name for calls: 1 to 128 visible ASCII characters, without spaces.
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    /// The JSON Schema of its arguments: an object.
    pub input_schema: Value,
    /// The JSON Schema of its structured result.
    pub output_schema: Option<Value>,
    /// Whether it says that it changes nothing.
    pub read_only: bool,
    /// Whether it says that it may destroy something; MCP assumes so if the hint is missing.
    pub destructive: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolList {
    pub tools: Vec<Tool>,
    pub unusable: Vec<UnusableTool>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusableTool {
    /// The name as the server writes it, on one line.
    pub name: String,
    pub why: String,
}

#[derive(Default)]
pub(crate) struct Tools {
    list: ToolList,
    names: HashSet<String>,
    n_bytes: usize,
}

impl Tools {
    /// Adds the tools of one page. Returns whether one of them is new.
    pub(crate) fn add_page(&mut self, listed: &[Value]) -> Result<bool, McpError> {
        let n_before = self.names.len();
        for tool in listed {
            self.add(tool)?;
        }
        Ok(n_before < self.names.len())
    }

    fn add(&mut self, listed: &Value) -> Result<(), McpError> {
        let name = listed["name"].as_str().unwrap_or_default();
        // Servers without paging list all of them each time.
        if !self.names.insert(name.to_owned()) {
            return Ok(());
        }
        if TOOLS_MAX < self.names.len() {
            return Err(McpError::TooLarge { what: "the list of its tools", max: format!("{TOOLS_MAX} tools") });
        }
        match tool(name, listed).and_then(|tool| self.fitting(tool)) {
            Ok(tool) => self.list.tools.push(tool),
            Err(why) => self.list.unusable.push(UnusableTool { name: said(name), why }),
        }
        Ok(())
    }

    fn fitting(&mut self, tool: Tool) -> Result<Tool, String> {
        let schemas = [Some(&tool.input_schema), tool.output_schema.as_ref()];
        let n_of_schemas: usize = schemas.into_iter().flatten().map(|schema| schema.to_string().len()).sum();
        let words = [Some(&tool.name), tool.title.as_ref(), tool.description.as_ref()];
        let n_of_words: usize = words.into_iter().flatten().map(String::len).sum();
        let n_bytes = self.n_bytes + n_of_schemas + n_of_words;
        if SCHEMAS_MAX < n_bytes {
            return Err(format!("with it, the schemas of the server's tools are larger than {SCHEMAS_MAX} bytes"));
        }
        self.n_bytes = n_bytes;
        Ok(tool)
    }

    pub(crate) fn into_list(self) -> ToolList {
        self.list
    }
}

fn tool(name: &str, listed: &Value) -> Result<Tool, String> {
    if name.is_empty() || NAME_MAX < name.len() || !name.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(format!("its name is not 1 to {NAME_MAX} visible characters of ASCII"));
    }
    let mut input_schema = listed["inputSchema"].clone();
    let Value::Object(schema) = &mut input_schema else { return Err("it has no input schema".to_owned()) };
    // Servers may omit the schema's type; arguments are always an object.
    if schema.entry("type").or_insert_with(|| json!("object")) != "object" {
        return Err("its input schema is not of the type `object`".to_owned());
    }
    let words = |of: &Value, key: &str| of[key].as_str().map(str::to_owned);
    let hints = &listed["annotations"];
    let read_only = hints["readOnlyHint"] == true;
    Ok(Tool {
        name: name.to_owned(),
        title: words(listed, "title").or_else(|| words(hints, "title")),
        description: words(listed, "description"),
        input_schema,
        output_schema: Some(&listed["outputSchema"]).filter(|schema| schema.is_object()).cloned(),
        read_only,
        destructive: !read_only && hints["destructiveHint"] != false,
    })
}
