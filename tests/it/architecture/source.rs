//! What a source file names: every path in it, as the parser sees them, but for what is compiled for tests alone.

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ExprMethodCall, File, Item, ItemMod, ItemUse, Macro, Member, UseTree, Visibility};

/// A source file, read.
pub(super) struct Source {
    /// The file, from the root of the repository: `src/core/router/classify.rs`.
    pub(super) file: String,
    pub(super) text: String,
    parsed: File,
}

impl Source {
    pub(super) fn new(file: &str, text: &str) -> Self {
        let parsed = syn::parse_file(text).unwrap_or_else(|problem| panic!("{file}: {problem}"));
        Self { file: file.to_owned(), text: text.to_owned(), parsed }
    }

    /// Whether its folder has the file for its tests, or it is one.
    pub(super) fn is_of_tests(&self) -> bool {
        let name = self.file.rsplit('/').next().unwrap_or_default();
        ["tests.rs", "fixture.rs", "properties.rs"].contains(&name) || self.file.contains("/tests/")
    }

    /// Every path that is named, in `use` and in place. Each segment is a name.
    pub(super) fn paths(&self) -> Vec<Vec<String>> {
        self.named().paths
    }

    /// Every method that is called, behind the name of what it is called on: `handler.run`.
    pub(super) fn method_calls(&self) -> Vec<String> {
        self.named().calls
    }

    fn named(&self) -> Named {
        let mut named = Named::default();
        named.visit_file(&self.parsed);
        named
    }

    /// Names that are re-exported, with the path below this file that they stand for.
    pub(super) fn reexports(&self) -> Vec<(String, Vec<String>)> {
        let children = self.children();
        let uses = self.parsed.items.iter().filter_map(|item| match item {
            Item::Use(item) if !matches!(item.vis, Visibility::Inherited) => Some(item),
            _ => None,
        });
        let mut found = Vec::new();
        for item in uses {
            flatten(&item.tree, &mut Vec::new(), &mut |path, name| found.push((name.to_owned(), path.to_vec())));
        }
        found.retain(|(_, path)| path.first().is_some_and(|first| children.contains(first)));
        found
    }

    /// Whether others than its parts see into one of them.
    pub(super) fn has_open_parts(&self) -> bool {
        self.parsed.items.iter().any(|item| match item {
            Item::Mod(part) => part.content.is_none() && !matches!(part.vis, Visibility::Inherited),
            _ => false,
        })
    }

    /// The files that it declares as its parts, but for those of tests.
    pub(super) fn children(&self) -> Vec<String> {
        let declared = self.parsed.items.iter().filter_map(|item| match item {
            Item::Mod(ItemMod { content: None, attrs, ident, .. }) if !is_for_tests(attrs) => Some(ident.to_string()),
            _ => None,
        });
        declared.collect()
    }

    /// Whether anything but parts and imports stands in it.
    pub(super) fn defines(&self) -> bool {
        let is_definition = |item: &Item| !matches!(item, Item::Mod(_) | Item::Use(_) | Item::Macro(_));
        self.parsed.items.iter().any(is_definition)
    }
}

#[derive(Default)]
struct Named {
    paths: Vec<Vec<String>>,
    calls: Vec<String>,
}

impl<'ast> Visit<'ast> for Named {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if !is_for_tests(&item.attrs) {
            flatten(&item.tree, &mut Vec::new(), &mut |path, _| self.paths.push(path.to_vec()));
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_fn(self, item);
        }
    }

    /// `pub(crate)` names nobody.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.paths.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        let receiver = match &*call.receiver {
            Expr::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
            Expr::Field(field) => match &field.member {
                Member::Named(name) => Some(name.to_string()),
                Member::Unnamed(_) => None,
            },
            Expr::MethodCall(call) => Some(call.method.to_string()),
            _ => None,
        };
        self.calls.extend(receiver.map(|receiver| format!("{receiver}.{}", call.method)));
        visit::visit_expr_method_call(self, call);
    }

    /// `#[derive(serde::Deserialize)]`
    fn visit_meta_list(&mut self, list: &'ast syn::MetaList) {
        self.visit_path(&list.path);
        in_tokens(list.tokens.clone(), &mut self.paths);
    }

    fn visit_macro(&mut self, called: &'ast Macro) {
        self.visit_path(&called.path);
        in_tokens(called.tokens.clone(), &mut self.paths);
    }
}

/// `#[cfg(test)]`, and `#[cfg(any(test, …))]`.
fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else { return false };
        let words = list.tokens.to_string();
        list.path.is_ident("cfg") && (words == "test" || words.starts_with("any (test"))
    })
}

fn flatten(tree: &UseTree, above: &mut Vec<String>, each: &mut dyn FnMut(&[String], &str)) {
    match tree {
        UseTree::Path(path) => {
            above.push(path.ident.to_string());
            flatten(&path.tree, above, each);
            above.pop();
        }
        UseTree::Group(group) => group.items.iter().for_each(|item| flatten(item, above, each)),
        UseTree::Glob(_) => each(above, "*"),
        UseTree::Name(name) if name.ident == "self" => each(above, above.last().map_or("", String::as_str)),
        UseTree::Name(syn::UseName { ident }) | UseTree::Rename(syn::UseRename { ident, .. }) => {
            let name = match tree {
                UseTree::Rename(renamed) => renamed.rename.to_string(),
                _ => ident.to_string(),
            };
            above.push(ident.to_string());
            each(above, &name);
            above.pop();
        }
    }
}

/// Paths among the tokens of a macro call: names with `::` between them.
fn in_tokens(tokens: TokenStream, found: &mut Vec<Vec<String>>) {
    let mut path: Vec<String> = Vec::new();
    let mut colons = 0;
    for token in tokens {
        match token {
            TokenTree::Ident(name) if colons == 2 => {
                path.push(name.to_string());
                colons = 0;
            }
            TokenTree::Ident(name) => {
                found.push(std::mem::take(&mut path));
                path.push(name.to_string());
                colons = 0;
            }
            TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
            TokenTree::Group(group) => {
                found.push(std::mem::take(&mut path));
                colons = 0;
                in_tokens(group.stream(), found);
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {
                found.push(std::mem::take(&mut path));
                colons = 0;
            }
        }
    }
    found.push(path);
    found.retain(|path| 1 < path.len());
}
