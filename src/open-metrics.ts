import { Registry } from 'prom-client';

/** All metrics as text, in one of the two formats that Prometheus asks for. */
export interface Exposition {
  readonly contentType: string;
  readonly text: string;
}

/** The metrics in OpenMetrics where the `Accept` header puts that first, and otherwise in the older text format. */
export async function expositionFor(accept: string, registry: Registry): Promise<Exposition> {
  const text = await registry.metrics();
  return prefersOpenMetrics(accept)
    ? { contentType: Registry.OPENMETRICS_CONTENT_TYPE, text: openMetricsOf(text) }
    : { contentType: registry.contentType, text };
}

function prefersOpenMetrics(accept: string): boolean {
  const ranges = accept.split(',').map((range) => range.split(';').map((part) => part.trim().toLowerCase()));
  const qualityOf = (type: string): number => Math.max(0, ...ranges.filter(([name]) => name === type).map(quality));
  const open = qualityOf('application/openmetrics-text');
  return open > 0 && open >= qualityOf('text/plain');
}

/** `0` for another version than the one that is written here. */
function quality([type = '', ...parameters]: readonly string[]): number {
  const parameter = (name: string) => parameters.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);
  const isOpen = type === 'application/openmetrics-text';
  if (isOpen && ![undefined, '1.0.0'].includes(parameter('version'))) return 0;
  return Number(parameter('q') ?? 1) || 0;
}

/**
 * OpenMetrics names a counter without the `_total` that its samples have, knows no empty lines and says where it ends.
 * prom-client writes it too, but takes `_total` off the counters themselves, for all scrapes that come later.
 */
function openMetricsOf(text: string): string {
  const named = text.replace(/^# HELP (\S+)_total (.*)\n# TYPE \1_total counter$/gm, '# HELP $1 $2\n# TYPE $1 counter');
  return `${named.replaceAll('\n\n', '\n')}# EOF\n`;
}
