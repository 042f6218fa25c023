import { loadAll } from 'js-yaml';
import { deepened } from './deepened.ts';
import { QUICK_SCHEMA } from './schema.ts';

/**
 * What two parsers might read in two ways, or one refuse: anchors with aliases, tags, directives, keys that
 * are empty, tabs and other characters that nobody sees. All of it is rare in manifests. A `*` also begins the schedule of many a CronJob, so an alias is one only where a value begins.
 */
const UNUSUAL =
  /(^|[\s,:[{-])[&*][^\s*&,\]}"']|(^|[\s,[{-])!|^%|\r(?!\n)|^\.\.\.|\?(\s|$)|(^|[\s{,[-]|(null|Null|NULL|~) {0,9}):(\s|$)|[^\P{Cc}\r\n]|[\u2028\u2029\uFEFF]/mu;

/** Nothing inside a document may begin a line like this. Each by itself takes far less memory than all at once. */
const BEFORE_DOCUMENT = /^(?=---(?:\s|$))/m;

/**
 * The values of all documents of a YAML text, in a fifth of the time that a tree with positions takes; `undefined` where
 * the text is JSON, unusual, or wrong in any way, so that the exact parser has to say what there is and where.
 */
export function quickDocuments(text: string): readonly unknown[] | undefined {
  if (text.startsWith('\uFEFF') || /^\s*\{/.test(text) || UNUSUAL.test(text)) return undefined;
  try {
    return text.split(BEFORE_DOCUMENT).flatMap((document) => valuesOf(document) ?? load(deepened(document)));
  } catch {
    return undefined; // the exact parser will tell what is wrong
  }
}

function valuesOf(document: string): readonly unknown[] | undefined {
  try {
    return load(document);
  } catch {
    return undefined; // it may be indented as only kubectl reads it
  }
}

function load(document: string): readonly unknown[] {
  return loadAll(document, { schema: QUICK_SCHEMA });
}
