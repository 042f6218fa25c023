import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Agent, request } from 'undici';
import { parse } from 'yaml';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import type { KubernetesObject } from '../control-plane/kubernetes-api.ts';

export interface WatchOptions<T> {
  /** `/api/v1/pods`. */
  readonly path: string;
  readonly fieldSelector?: string;
  readonly changed: (object: T, isGone: boolean) => void;
}

interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: T;
}

/** Watches from the beginning: this runs from before the first object until after the last, so nothing is listed. */
export class Watches {
  readonly #server: string;
  readonly #authorization: string;
  readonly #dispatcher: Agent;
  readonly #running: Promise<void>[] = [];
  #closed = false;

  static async of({ server, certificateAuthority, adminKubeconfig }: ControlPlane): Promise<Watches> {
    const { users } = parse(await readFile(adminKubeconfig, 'utf8')) as { users: { user: { token: string } }[] };
    return new Watches(server, certificateAuthority, users[0]?.user.token ?? '');
  }

  private constructor(server: string, ca: string, token: string) {
    this.#server = server;
    this.#authorization = `Bearer ${token}`;
    // A watch says nothing for as long as nothing changes.
    this.#dispatcher = new Agent({ connect: { ca }, bodyTimeout: 0 });
  }

  watch<T extends KubernetesObject>(options: WatchOptions<T>): void {
    this.#running.push(this.#follow(options));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#dispatcher.destroy();
    await Promise.all(this.#running);
  }

  async #follow<T extends KubernetesObject>(options: WatchOptions<T>): Promise<void> {
    let version = '0';
    while (!this.#closed) {
      try {
        version = await this.#once(options, version);
      } catch (error) {
        if (!this.#closed) throw new Error(`watching ${options.path}`, { cause: error });
      }
    }
  }

  /** Until the API server ends it, as it does from time to time; gives the version to go on from. */
  async #once<T extends KubernetesObject>(options: WatchOptions<T>, from: string): Promise<string> {
    const { path, fieldSelector = '', changed } = options;
    const query = new URLSearchParams({
      watch: 'true',
      resourceVersion: from,
      allowWatchBookmarks: 'true',
      timeoutSeconds: '3600',
      fieldSelector,
    });
    const answer = await request(`${this.#server}${path}?${query}`, {
      dispatcher: this.#dispatcher,
      headers: { authorization: this.#authorization },
    });
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${await answer.body.text()}`);
    let version = from;
    const lines = createInterface({ input: answer.body });
    lines.on('line', (line) => {
      const { type, object } = JSON.parse(line) as WatchEvent<T>;
      if (type === 'ERROR') throw new Error(`${path}: ${line}`);
      version = object.metadata?.resourceVersion ?? version;
      if (type !== 'BOOKMARK') changed(object, type === 'DELETED');
    });
    await once(lines, 'close');
    return version;
  }
}
