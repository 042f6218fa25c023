/**
 * One line of what can be seen. Kubernetes drops a warning that holds a control character
 * (`apimachinery/pkg/util/net/http.go:NewWarningHeader`), and a terminal obeys it; format and bidi characters, separators of
 * lines, surrogates without their other half and whatever else is invisible would let a name of somebody's choice pass for
 * another text.
 */
export function oneLine(text: string): string {
  return PLAIN.test(text) ? text : text.replace(UNSEEN, ' ');
}

/** What nearly every text consists of, found much sooner than that nothing in it is of those below. */
export const PLAIN = /^[ -~]*$/;
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+/gu;

/** JSON of several lines with an escape for each such character, which only its strings can hold. */
export function escapedUnseen(json: string): string {
  const escaped = (run: string): string => run.split('').map(escapedUnit).join('');
  return json
    .split('\n')
    .map((line) => (PLAIN.test(line) ? line : line.replace(UNSEEN, escaped)))
    .join('\n');
}

/** Of a half of a surrogate pair, too. */
function escapedUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
