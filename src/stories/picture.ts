/** Where everything is at one moment of a story, so that it can be drawn. A plain value, which JSON holds as it is. */
export interface Picture {
  /** By name, those that the story is about; the same in all pictures of one story. */
  readonly nodes: readonly string[];
  readonly pods: readonly PicturePod[];
  /** Those of which one node, or one pod, has each at a time. */
  readonly volumes: readonly PictureVolume[];
}

/** A pod as the story names it. */
export interface PicturePod {
  readonly name: string;
  readonly state: PodState;
  /** Its index in the picture's nodes; absent for a pod that is on none. */
  readonly node?: number | undefined;
  /** What it mounts, by index in the picture's volumes. */
  readonly volumes: readonly number[];
}

/** `pending` is without a node, and `ended` is a pod of a Job that has finished. */
export type PodState = 'pending' | 'starting' | 'ready' | 'terminating' | 'ended';

/** A volume by the names of its claims. */
export interface PictureVolume {
  readonly name: string;
  /** The node that it is attached to, by index in the picture's nodes; absent where there is none. */
  readonly node?: number | undefined;
}
