/**
 * The text as it was, but with those lines indented deeper on which a quoted scalar or a flow collection goes on and that
 * stand no deeper than what holds it. YAML 1.2 forbids such lines, and so do our parsers; the one below kubectl reads them
 * (`go.yaml.in/yaml/v2/scannerc.go` looks at indentation in block context only), and old generators wrote them into most
 * CustomResourceDefinitions. No value changes by it, nor the number of any line. It goes over the text once, whatever it is.
 */
export function deepened(text: string): string {
  return new Scanner(text).scan();
}

/** Walks over a text as its block structure goes, and notes where spaces are missing. */
class Scanner {
  readonly #text: string;
  readonly #parts: string[] = [];
  #copied = 0;
  #at = 0;
  #lineStart = 0;
  /** The column of what holds the scalar or collection that comes: a key, or the dash of an element. */
  #holder = -1;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): string {
    while (this.#at < this.#text.length) {
      this.#skipBlanks();
      this.#holder = this.#column() - 1;
      if (this.#isMarker()) {
        this.#at += 3;
        this.#holder = -1;
      }
      this.#overLine();
    }
    return this.#parts.join('') + this.#text.slice(this.#copied);
  }

  /** Moves from a token in block context to the end of the line on which what begins here ends. */
  #overLine(): void {
    for (;;) {
      this.#skipBlanks();
      const start = this.#column();
      switch (this.#text[this.#at]) {
        case undefined:
        case '\n':
        case '#':
        case '%':
          this.#toNextLine();
          return;
        case '|':
        case '>':
          this.#overBlockScalar();
          return;
        case '&':
        case '*':
        case '!':
          while (!this.#isBlank(this.#at)) this.#at++;
          continue;
        case '"':
        case "'":
          this.#overQuoted();
          this.#skipBlanks();
          break;
        case '[':
        case '{':
          this.#overFlow();
          this.#skipBlanks();
          break;
        default:
          if (this.#isIndicator('-?:')) break;
          this.#overWords('');
          if (this.#text[this.#at] === ':') break;
          this.#overPlain();
          return;
      }
      if (!this.#isIndicator('-?:')) continue;
      this.#at++;
      this.#holder = start;
    }
  }

  /** The lines on which a plain scalar goes on; a comment ends it. */
  #overPlain(): void {
    let goesOn = this.#text[this.#at] !== '#';
    this.#toNextLine();
    while (goesOn && this.#at < this.#text.length) {
      const { indent, next } = this.#ahead();
      goesOn = next === '\n' || (indent > this.#holder && next !== '#' && !this.#isMarker());
      if (goesOn) this.#toNextLine();
    }
  }

  /** Its lines are deeper than what holds it, and as deep as the first of them. */
  #overBlockScalar(): void {
    this.#toNextLine();
    let least: number | undefined;
    while (this.#at < this.#text.length) {
      const { indent, next } = this.#ahead();
      if (next !== '\n') {
        least ??= Math.max(indent, this.#holder + 1);
        if (indent < least) return;
      }
      this.#toNextLine();
    }
  }

  #overQuoted(): void {
    const quote = this.#text[this.#at++];
    for (;;) {
      const char = this.#text[this.#at];
      if (char === undefined) return;
      if (char === '\n') {
        if (!this.#goesOn()) return;
        continue;
      }
      this.#at++;
      if (char === '\\' && quote === '"' && this.#text[this.#at] !== '\n') this.#at++;
      if (char !== quote) continue;
      if (quote === '"' || this.#text[this.#at] !== quote) return;
      this.#at++;
    }
  }

  #overFlow(): void {
    let depth = 0;
    for (;;) {
      this.#skipBlanks();
      switch (this.#text[this.#at]) {
        case undefined:
          return;
        case '\n':
          if (!this.#goesOn()) return;
          continue;
        case '#':
          while (!this.#isLineEnd(this.#at)) this.#at++;
          continue;
        case '"':
        case "'":
          this.#overQuoted();
          // JSON needs no blank after the colon.
          if (this.#text[this.#at] === ':') this.#at++;
          continue;
        case '[':
        case '{':
          depth++;
          break;
        case ']':
        case '}':
          if (--depth === 0) {
            this.#at++;
            return;
          }
          break;
        case ',':
          break;
        default:
          if (this.#isIndicator('-?:')) break;
          this.#overWords(',[]{}');
          continue;
      }
      this.#at++;
    }
  }

  /** A plain scalar on one line, up to a colon that makes it a key, a comment, or what else ends it. */
  #overWords(ends: string): void {
    do this.#at++;
    while (
      !this.#isLineEnd(this.#at) &&
      !this.#isIndicator(':') &&
      !(this.#text[this.#at] === '#' && this.#isBlank(this.#at - 1)) &&
      !ends.includes(this.#text[this.#at] ?? '')
    );
  }

  /** Moves from the end of a line to the next one and indents that as needed. Returns false where the document ends. */
  #goesOn(): boolean {
    this.#toNextLine();
    if (this.#isMarker()) return false;
    const { indent, next } = this.#ahead();
    const missing = this.#holder + 1 - indent;
    if (next === '\n' || missing <= 0) return true;
    this.#parts.push(this.#text.slice(this.#copied, this.#at), ' '.repeat(missing));
    this.#copied = this.#at;
    return true;
  }

  /** What the line begins with that begins here; a line end stands for nothing at all. */
  #ahead(): { readonly indent: number; readonly next: string | undefined } {
    let at = this.#at;
    while (this.#text[at] === ' ') at++;
    const indent = at - this.#at;
    while (this.#isBlank(at) && !this.#isLineEnd(at)) at++;
    return { indent, next: this.#text[at] ?? '\n' };
  }

  #toNextLine(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end === -1 ? this.#text.length : end + 1;
    this.#lineStart = this.#at;
  }

  #column(): number {
    return this.#at - this.#lineStart;
  }

  #skipBlanks(): void {
    while (this.#isBlank(this.#at) && !this.#isLineEnd(this.#at)) this.#at++;
  }

  /** One of these characters with a blank behind it. */
  #isIndicator(characters: string): boolean {
    const char = this.#text[this.#at];
    return char !== undefined && characters.includes(char) && this.#isBlank(this.#at + 1);
  }

  /** `---` or `...`, which end a document wherever they stand. */
  #isMarker(): boolean {
    const isOne = this.#text.startsWith('---', this.#at) || this.#text.startsWith('...', this.#at);
    return isOne && this.#column() === 0 && this.#isBlank(this.#at + 3);
  }

  /** A space, a tab, a line end, or the end of the text. */
  #isBlank(at: number): boolean {
    const char = this.#text[at];
    return char === ' ' || char === '\n' || char === '\r' || char === '\t' || char === undefined;
  }

  #isLineEnd(at: number): boolean {
    const char = this.#text[at];
    return char === '\n' || char === undefined;
  }
}
