//! A template's source is read once before it is compiled: what only Jinja2 knows is rewritten, and what would open
//! another file is refused.

use super::markup;

/// Tags that would read another template.
const FILE_TAGS: [&str; 4] = ["include", "import", "extends", "from"];

/// A source that minijinja compiles.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) text: String,
    /// It joins text to `"..."|safe`, which escapes the text (see [`markup`]).
    pub(super) joins_markup: bool,
}

/// Walks over a template's comments, expressions and tags.
///
/// `{% generation %}` and `{% endgeneration %}` only mark the assistant's part for training; a condition that always holds
/// takes their place. The error names the line of a tag that would read a file.
pub(super) fn prepare(source: &str) -> Result<Prepared, String> {
    let mut reader = Reader { source, at: 0, text: String::with_capacity(source.len()), joins_markup: false };
    while let Some(found) = source[reader.at..].find('{') {
        let start = reader.at + found;
        match source.as_bytes().get(start + 1) {
            Some(b'#') => reader.copy_through("#}", start),
            Some(b'{') => reader.expression(start),
            Some(b'%') => reader.tag(start)?,
            _ => reader.copy_to(start + 1),
        }
    }
    reader.copy_to(source.len());
    Ok(Prepared { text: reader.text, joins_markup: reader.joins_markup })
}

struct Reader<'a> {
    source: &'a str,
    /// Everything before is copied.
    at: usize,
    text: String,
    joins_markup: bool,
}

impl Reader<'_> {
    fn copy_to(&mut self, end: usize) {
        self.text.push_str(&self.source[self.at..end]);
        self.at = end;
    }

    /// Copies up to and with the next `close`; an unclosed piece is left to the compiler's error.
    fn copy_through(&mut self, close: &str, start: usize) {
        let end =
            self.source[start..].find(close).map_or(self.source.len(), |found| start + found + close.len());
        self.copy_to(end);
    }

    fn expression(&mut self, start: usize) {
        let end = end_of(self.source, start + 2, "}}");
        self.copy_code(start, end);
    }

    fn tag(&mut self, start: usize) -> Result<(), String> {
        let end = end_of(self.source, start + 2, "%}");
        let tag = &self.source[start..end];
        let body = tag.trim_start_matches("{%").trim_end_matches("%}");
        let word = first_word(body);
        if FILE_TAGS.contains(&word) {
            let line = self.source[..start].matches('\n').count() + 1;
            return Err(format!("`{word}` would read another file (line {line} of the template)"));
        }
        match word {
            "generation" | "endgeneration" => {
                self.copy_to(start);
                self.text.push_str(&empty_block(body));
                self.at = end;
            }
            "raw" => {
                self.copy_to(end);
                self.copy_to(end_of_raw(self.source, end));
            }
            _ => self.copy_code(start, end),
        }
        Ok(())
    }

    /// Copies an expression or a tag, with the filters renamed that join markup.
    fn copy_code(&mut self, start: usize, end: usize) {
        self.copy_to(start);
        let code = &self.source[start..end];
        match markup::rename_joined_filters(code) {
            Some(renamed) => {
                self.joins_markup = true;
                self.text.push_str(&renamed);
                self.at = end;
            }
            None => self.copy_to(end),
        }
    }
}

fn first_word(body: &str) -> &str {
    let body = body.trim_start_matches(['-', '+']).trim_start();
    body.split(|character: char| !character.is_alphanumeric() && character != '_').next().unwrap_or_default()
}

/// A block without effect that trims the white space around it as the tag did.
fn empty_block(body: &str) -> String {
    let left = body.chars().next().filter(|sign| matches!(sign, '-' | '+'));
    let right = body.chars().last().filter(|sign| matches!(sign, '-' | '+'));
    let sign = |sign: Option<char>| sign.map(String::from).unwrap_or_default();
    format!("{{%{} if true %}}{{% endif {}%}}", sign(left), sign(right))
}

/// Index after the next `close` outside of string literals.
fn end_of(source: &str, start: usize, close: &str) -> usize {
    let bytes = source.as_bytes();
    let mut quote = None;
    let mut at = start;
    while at < bytes.len() {
        match (quote, bytes[at]) {
            (Some(_), b'\\') => at += 1,
            (Some(open), byte) if byte == open => quote = None,
            (None, b'"' | b'\'') => quote = Some(bytes[at]),
            (None, _) if bytes[at..].starts_with(close.as_bytes()) => return at + close.len(),
            _ => {}
        }
        at += 1;
    }
    source.len()
}

/// Index of the tag that ends a raw block.
fn end_of_raw(source: &str, start: usize) -> usize {
    let tags = source[start..].match_indices("{%").map(|(at, _)| start + at);
    tags.into_iter().find(|at| first_word(&source[at + 2..]) == "endraw").unwrap_or(source.len())
}

#[cfg(test)]
mod tests {
    use super::prepare;

    fn text(source: &str) -> String {
        prepare(source).map_or_else(|error| error, |prepared| prepared.text)
    }

    #[test]
    fn only_real_generation_tags_are_replaced() {
        assert_eq!(text("a{%- generation +%}b"), "a{%- if true %}{% endif +%}b");
        for kept in [
            "{# {% generation %} #}",
            "{{ '{% generation %}' }}",
            "{% raw %}{% generation %}{% endraw %}",
            "{ %}",
        ] {
            assert_eq!(text(kept), kept);
        }
    }

    #[test]
    fn a_tag_that_reads_a_file_is_named_with_its_line() {
        assert_eq!(
            text("a\n{%- include '/etc/passwd' %}"),
            "`include` would read another file (line 2 of the template)"
        );
        assert_eq!(text("{{ 'include' }}{# {% include x %} #}"), "{{ 'include' }}{# {% include x %} #}");
    }
}
