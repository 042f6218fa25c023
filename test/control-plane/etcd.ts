import { request } from 'undici';

/** etcd over its JSON gateway, for what cannot be provoked through the API server. */
export interface Etcd {
  /** The revision of the store: what the API server hands out as resourceVersion. */
  revision(): Promise<number>;
  /** Forgets every revision before this one; the newest when not told. Gives the revision compacted at. */
  compact(revision?: number): Promise<number>;
  /** Throws unless this is the member that was started under that name. */
  requireMember(name: string): Promise<void>;
}

export function etcdAt(url: string): Etcd {
  async function post<T>(path: string, body: object): Promise<T> {
    const answer = await request(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) });
    if (answer.statusCode !== 200) throw new Error(`etcd ${path}: ${answer.statusCode} ${await answer.body.text()}`);
    return (await answer.body.json()) as T;
  }

  async function revision(): Promise<number> {
    // 64-bit numbers are strings in protobuf's JSON.
    const { header } = await post<{ header: { revision: string } }>('/v3/maintenance/status', {});
    return Number(header.revision);
  }

  return {
    revision,
    async compact(at) {
      const target = at ?? (await revision());
      await post('/v3/kv/compaction', { revision: String(target), physical: true });
      return target;
    },
    async requireMember(name) {
      const { members } = await post<{ members: { name?: string }[] }>('/v3/cluster/member/list', {});
      if (members.some((member) => member.name === name)) return;
      throw new Error(`The etcd at ${url} is not the one that was started here`);
    },
  };
}
