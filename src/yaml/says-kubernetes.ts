/**
 * Whether a text that cannot be read says that it is Kubernetes': that it has an `apiVersion` and a `kind` where objects have
 * them. What lies deeper, as the script of a workflow, says nothing of the text itself. The fields of JSON may stand anywhere.
 */
export function saysKubernetes(text: string): boolean {
  // Of UTF-16 every other character is left, and what stood before them.
  const letters = text.replaceAll(/[\0\uFFFD\uFEFF]/g, '');
  const [apiVersion, kind] = /^\s*\{/.test(letters) ? JSON_FIELDS : YAML_FIELDS;
  return apiVersion.test(letters) && kind.test(letters);
}

const YAML_FIELDS = [/^ {0,3}["']?apiVersion["']?[ \t]*:/m, /^ {0,3}["']?kind["']?[ \t]*:/m] as const;
const JSON_FIELDS = [/["']?\bapiVersion["']?\s*:/, /["']?\bkind["']?\s*:/] as const;
