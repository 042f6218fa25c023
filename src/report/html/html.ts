import { oneLine } from '../../one-line.ts';
import type { Report } from '../report.ts';
import type { ScanReport } from '../scan-report.ts';
import { pageData } from './page-data.ts';

export interface HtmlOptions {
  /** The built page, with a place for the title and one for the data (`src/page/page.html`). */
  readonly page: string;
  /** The version of rwo-guard. */
  readonly version: string;
}

/** One file for people, which needs nothing else: the report inside a page that shows it. */
export function htmlOf(report: Report | ScanReport, { page, version }: HtmlOptions): string {
  const data = pageData(report, version);
  const parts = { title: escaped(oneLine(data.title)), data: embedded(data) };
  return page.replaceAll(PLACES, (_, place: keyof typeof parts) => parts[place]);
}

/** Filled in one pass, so that nothing that is filled in is taken for a place. */
const PLACES = /\{\{(title|data)\}\}/g;

/** JSON that ends no script and begins no comment, whatever its texts are; of each text what can be seen. */
function embedded(data: object): string {
  const visible = (_: string, value: unknown): unknown => (typeof value === 'string' ? oneLine(value) : value);
  return JSON.stringify(data, visible).replaceAll('<', '\\u003c');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
