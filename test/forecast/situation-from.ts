import { parseAllDocuments } from 'yaml';
import type { KubernetesObject } from '../control-plane/kubernetes-api.ts';
import type { Situation } from '../oracle/situation.ts';

/** Its last object is what was asked for; before it comes the workload as it ran, where it ran before. */
export function situationFrom(text: string): Situation {
  const objects: KubernetesObject[] = parseAllDocuments(text).map((document) => document.toJS());
  const [, action = '', on = ''] = /^(\w+); old pods on: (.*)$/.exec(line(text, 'Action')) ?? [];
  if (!isAction(action)) throw new Error(`no action "${action}"`);
  const wanted = objects.pop();
  if (wanted === undefined) throw new Error('nothing is asked for');
  const running = action === 'update' || action === 'scale' ? objects.pop() : undefined;
  const places = on === 'no node' ? [] : on.split(', ');
  return { action, objects, running, wanted, nodesChanged: false, places };
}

function isAction(text: string): text is Situation['action'] {
  return ['create', 'update', 'scale', 'autoscale'].includes(text);
}

/** What a line of the comment says. */
export function line(text: string, name: string): string {
  const found = new RegExp(`^# ${name}: (.*)$`, 'm').exec(text)?.[1];
  if (found === undefined) throw new Error(`there is no line "${name}"`);
  return found;
}
