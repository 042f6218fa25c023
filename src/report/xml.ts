/** What is inside an element: other elements, or a text. */
type Content = readonly string[] | string;

/** An XML element with its line end. Without any content it closes itself. */
export function element(name: string, attributes: Readonly<Record<string, string | number>>, content: Content): string {
  const start = [name, ...Object.entries(attributes).map(([key, value]) => `${key}="${escaped(String(value))}"`)].join(
    ' ',
  );
  if (content.length === 0) return `<${start}/>\n`;
  return `<${start}>${typeof content === 'string' ? escaped(content) : `\n${content.join('')}`}</${name}>\n`;
}

/** Everything but what XML 1.0 calls a character (https://www.w3.org/TR/xml/#charsets); it cannot be escaped either. */
const NO_CHARACTER = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

/** Holds in texts and attributes; line ends are written as numbers because a parser makes spaces of them in attributes. */
function escaped(text: string): string {
  return text
    .replaceAll(NO_CHARACTER, '\u{FFFD}')
    .replaceAll(/[&<>"'\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}
