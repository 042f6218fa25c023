import { isObject } from '../../objects/json.ts';

/** How far nested text is moved to the right, in spaces. */
export interface BlockStyle {
  /** How far a value stands to the right below the name of its field. */
  readonly step: number;
  /** How far the dashes of a list stand to the right below the name of its field. */
  readonly dash: number;
}

/** How values in braces are written on one line. */
export interface FlowStyle {
  /** Whether names and texts stand in quotes, as in JSON. */
  readonly quoted: boolean;
  /** Whether a space follows colon and comma; without it quotes are needed. */
  readonly spaced: boolean;
  /** Whether a space stands inside braces. */
  readonly padded: boolean;
}

const IN_BLOCK: FlowStyle = { quoted: false, spaced: true, padded: false };

/** The lines of a value in block style, without indentation of their own. */
export function blockLines(value: unknown, style: BlockStyle): readonly string[] {
  if (Array.isArray(value) && value.length > 0) return value.flatMap((item) => itemLines(item, style));
  if (!isObject(value) || Object.keys(value).length === 0) return [flowText(value, IN_BLOCK)];
  return Object.entries(value).flatMap(([name, inner]) => fieldLines(name, inner, style));
}

/** A list's element with its dash. */
export function itemLines(item: unknown, style: BlockStyle): readonly string[] {
  return blockLines(item, style).map((line, index) => (index === 0 ? `- ${line}` : `  ${line}`));
}

export function fieldLines(name: string, value: unknown, style: BlockStyle): readonly string[] {
  const lines = blockLines(value, style);
  if (!isNested(value)) return [`${scalarText(name, false)}: ${lines.join('')}`];
  return [`${scalarText(name, false)}:`, ...lines.map((line) => ' '.repeat(offsetOf(value, style)) + line)];
}

/** Whether a value takes lines of its own below its field's name. */
export function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

export function offsetOf(value: unknown, { step, dash }: BlockStyle): number {
  return Array.isArray(value) ? dash : step;
}

export function flowText(value: unknown, style: FlowStyle): string {
  const comma = style.spaced ? ', ' : ',';
  if (Array.isArray(value)) return `[${value.map((item) => flowText(item, style)).join(comma)}]`;
  if (!isObject(value)) return scalarText(value, style.quoted);
  const fields = Object.entries(value).map(([name, inner]) => flowField(name, inner, style));
  const pad = style.padded && fields.length > 0 ? ' ' : '';
  return `{${pad}${fields.join(comma)}${pad}}`;
}

export function flowField(name: string, value: unknown, style: FlowStyle): string {
  return `${scalarText(name, style.quoted)}:${style.spaced ? ' ' : ''}${flowText(value, style)}`;
}

/** A text that begins with a letter and holds nothing that means something in YAML. */
const PLAIN = /^[A-Za-z][\w./-]*$/;

/** What YAML 1.1, which Kubernetes reads by, takes for no text. */
const WORDS = /^(?:y|n|yes|no|on|off|true|false|null)$/i;

function scalarText(value: unknown, quoted: boolean): string {
  if (!quoted && typeof value === 'string' && PLAIN.test(value) && !WORDS.test(value)) return value;
  return JSON.stringify(value);
}
