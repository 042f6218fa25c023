import type { Picture, PicturePod } from '../stories/picture.ts';

/** What a picture shows, for who hears it: node by node, and then what is on none. */
export function inWords(picture: Picture): string {
  const places = [
    ...picture.nodes.map((name, node) => ({ place: `On ${name}`, there: thereAt(node, picture) })),
    { place: 'On no node', there: thereAt(undefined, picture) },
  ];
  return places
    .filter(({ place, there }) => there.length > 0 || place !== 'On no node')
    .map(({ place, there }) => `${place}: ${there.length === 0 ? 'nothing' : there.join(', ')}.`)
    .join(' ');
}

function thereAt(node: number | undefined, picture: Picture): readonly string[] {
  return [
    ...picture.pods.filter((pod) => pod.node === node).map((pod) => `${pod.name} ${stateInWords(pod, picture)}`),
    ...picture.volumes.filter((volume) => volume.node === node).map(({ name }) => `volume ${name}`),
  ];
}

export function stateInWords(pod: PicturePod, picture: Picture): string {
  const waited = waitedForBy(pod, picture).map((volume) => picture.volumes[volume]?.name ?? '');
  return waited.length > 0 ? `waits for ${waited.join(', ')}` : pod.state;
}

/** The volumes that keep a pod from starting, because another node has them; by index. */
export function waitedForBy({ state, node, volumes }: PicturePod, picture: Picture): readonly number[] {
  if (state !== 'starting') return [];
  return volumes.filter((volume) => {
    const at = picture.volumes[volume]?.node;
    return at !== undefined && at !== node;
  });
}
