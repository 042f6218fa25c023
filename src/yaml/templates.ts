/* Texts of which something else makes manifests, and how to tell them from manifests that are broken. */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Whether actions or tags of a template stand in a text where YAML has keys and values: `{{ … }}` of Go and Jinja, `{% … %}`,
 * `{# … #}` and what others have. In quotes and within words they say nothing, for alerts and dashboards have them too.
 */
export function isTemplated(text: string): boolean {
  return STRUCTURAL.test(text);
}

/** Template syntax that begins a line, element or value; `__A__` (sed) and `${A}` (envsubst) only alone on a line. */
const STRUCTURAL =
  /^[ \t]*(?:(?:- +)?(?:[\w./"'-]+:[ \t]+)?(?:\{[{%#]|<%|@\w+@)|(?:__[A-Z\d_]+__|\$\{\w+\})[ \t\r]*$)/m;

/** What Helm's templates say and other templates in YAML hardly do. */
const HELM = /\{\{[^{}\n]*(?:\.(?:Values|Release|Chart|Capabilities|Files|Template)\b|\b(?:include|toYaml|tpl)\b)/;

export function isHelmTemplate(text: string): boolean {
  return HELM.test(text);
}

/** `helm template` writes the name of each document's template before it, and what it printed is no template any more. */
export function isPrintedByHelm(text: string): boolean {
  return /^# Source: /m.test(text);
}

/** YAML reads `replicas: {{ .Values.replicas }}` as a mapping whose key is a mapping, which is written as text here. */
export function holdsAction(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, child]) => /^\{ .* \}$/.test(key) || holdsAction(child));
}

/** What Helm reads of a chart without rendering it, and what it renders. */
const OF_A_CHART: ReadonlySet<string> = new Set(['templates', 'crds']);

/** Whether a file lies in the `templates/` of a chart, or in another of these folders, at any depth. */
export function liesInChart(path: string, folders: ReadonlySet<string> = OF_A_CHART): boolean {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (folders.has(basename(folder)) && existsSync(join(folder, '..', 'Chart.yaml'))) return true;
  }
  return false;
}

/**
 * Whether a value is left to what fills it in later: Flux and envsubst (`${MODE:=ReadWriteOnce}`, `$MODE`), kustomize and
 * OpenShift (`$(MODE)`, `${{MODE}}`), Go and Jinja.
 */
export function isFilledInLater(text: string): boolean {
  return /\$(?:[{(]|[A-Za-z_])|\{[{%]/.test(text);
}
