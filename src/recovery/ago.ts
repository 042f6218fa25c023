import type { PodStatus } from '../objects/pod-status.ts';

/** How long ago that was, in the largest unit of which there are two at least; empty for a time that nobody wrote. */
export function ago(time: string | number | undefined, now: number): string {
  const then = typeof time === 'number' ? time : Date.parse(time ?? '');
  return Number.isNaN(then) ? '' : `${duration(now - then)} ago`;
}

/** Milliseconds in words that a person reads at a glance; a clock that is a little behind makes no negative time. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [amount, unit] = UNITS.map(([name, size]) => [Math.floor(seconds / size), name] as const).find(
    ([count]) => count >= 2,
  ) ?? [seconds, 's'];
  return `${amount} ${unit}`;
}

const UNITS = [
  ['days', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

/** When a pod was told to end: its deletion time is when it has to have ended (`apiserver/pkg/registry/rest/delete.go:BeforeDelete`). */
export function askedToEnd({ endsBy, graceSeconds = 0 }: PodStatus): number | undefined {
  return endsBy === undefined ? undefined : Date.parse(endsBy) - graceSeconds * 1000;
}
