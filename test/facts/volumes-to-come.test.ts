import assert from 'node:assert/strict';
import { test } from 'node:test';
import { known } from '../../src/objects/fact.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { because, METADATA, OF_CLASS, ONCE, read, storageClass, volume } from './read-claim.ts';

/** The topology of which a volume stays in one domain that is made by this provisioner. */
function topologyOf(provisioner: string, parameters: JsonObject = {}): string | undefined {
  const { claim } = read(OF_CLASS, { objects: [{ ...storageClass(provisioner), parameters }] });
  return claim.onceBound?.type === 'domain' ? claim.onceBound.topology : undefined;
}

test('a volume to come stays where its driver makes it: on a node, in a zone or in a region', () => {
  assert.equal(topologyOf('topolvm.io'), 'kubernetes.io/hostname');
  assert.equal(topologyOf('ebs.csi.aws.com'), 'topology.kubernetes.io/zone');
  assert.equal(topologyOf('kubernetes.io/gce-pd'), 'topology.kubernetes.io/zone');
  assert.equal(topologyOf('csi.hetzner.cloud'), 'topology.kubernetes.io/region');
  assert.equal(topologyOf('dobs.csi.digitalocean.com'), undefined);
  assert.equal(topologyOf('example.com/d'), undefined);
  assert.equal(read(OF_CLASS, { objects: [storageClass('example.com/d')] }).claim.onceBound, undefined);
});

test('a volume to come stays in no zone where its class asks for one that does not', () => {
  const [gce, azure] = ['pd.csi.storage.gke.io', 'disk.csi.azure.com'];
  assert.equal(topologyOf(gce, { type: 'pd-ssd', 'replication-type': 'none' }), 'topology.kubernetes.io/zone');
  assert.equal(topologyOf(gce, { labels: 'regional-pd' }), 'topology.kubernetes.io/zone');
  assert.equal(topologyOf(gce, { 'Replication-Type': 'regional-pd' }), undefined);
  assert.equal(topologyOf(gce, { type: 'hyperdisk-balanced-high-availability' }), undefined);
  assert.equal(topologyOf(gce, { 'enable-multi-zone-provisioning': 'true' }), undefined);
  assert.equal(topologyOf('kubernetes.io/gce-pd', { 'replication-type': 'regional-pd' }), undefined);
  assert.equal(topologyOf(azure, { skuName: 'Premium_LRS' }), 'topology.kubernetes.io/zone');
  assert.equal(topologyOf(azure, { skuName: 'Premium_ZRS' }), undefined);
  assert.equal(topologyOf(azure, { storageaccounttype: 'StandardSSD_ZRS' }), undefined);
  assert.equal(topologyOf('ebs.csi.aws.com', { skuName: 'Premium_ZRS' }), 'topology.kubernetes.io/zone');
  const alibaba = 'diskplugin.csi.alibabacloud.com';
  assert.equal(topologyOf(alibaba, { type: 'cloud_essd,cloud_regional_disk_auto' }), undefined);
});

test('a volume to come is where its class allows it to be made', () => {
  const affinity = (allowedTopologies?: readonly JsonObject[]) =>
    read(OF_CLASS, { objects: [{ ...storageClass('d'), allowedTopologies }] }).claim.nodeAffinity;
  const key = 'topology.kubernetes.io/zone';
  const term = (...values: readonly string[]) => ({ matchLabelExpressions: [{ key, values }] });
  const expected = (...values: readonly string[]) => ({ expressions: [{ key, operator: 'In', values }], fields: [] });
  assert.deepEqual(affinity([term('a', 'b'), term('c')]), [expected('a', 'b'), expected('c')]);
  assert.deepEqual(affinity([{}]), [{ expressions: [], fields: [] }]);
  const keyless = [{ key: '', operator: 'In', values: [] }];
  assert.deepEqual(affinity([{ matchLabelExpressions: [{}] }]), [{ expressions: keyless, fields: [] }]);
  assert.equal(affinity([]), undefined);
  assert.equal(affinity(), undefined);
});

test('a claim that gets one of several volumes is what these agree on, and open where they do not', () => {
  const kept = (...sources: readonly JsonObject[]) => {
    const spec = { ...ONCE, claimRef: METADATA };
    const objects = sources.map((source, n) => volume({ ...spec, ...source }, `v${n}`));
    return read({ ...ONCE, storageClassName: '' }, { objects }).claim;
  };
  assert.deepEqual(kept({ nfs: {} }, { hostPath: {} }).attachable, known(false));
  assert.deepEqual(
    kept({ nfs: {} }, { hostPath: {} }).claimsOfDisk.map(({ name }) => name),
    ['data'],
  );
  assert.equal(because(kept({ nfs: {} }, { fc: {} }).attachable), 'the volumes that claim shop/data may get differ');
  assert.equal(
    because(kept({ nfs: {} }, { flexVolume: { driver: 'f' } }).attachable),
    'only the FlexVolume driver f knows whether its volumes are attached',
  );
});

test('a claim that gets one of several volumes is where one of these can be used, if none can be everywhere', () => {
  const affinity = (...zones: readonly (readonly string[])[]) => {
    const objects = zones.map((values, n) => {
      const matchExpressions = [{ key: 'zone', operator: 'In', values }];
      const nodeAffinity = values.length > 0 ? { required: { nodeSelectorTerms: [{ matchExpressions }] } } : undefined;
      return volume({ ...ONCE, claimRef: METADATA, nodeAffinity }, `v${n}`);
    });
    const { nodeAffinity } = read({ ...ONCE, storageClassName: '' }, { objects }).claim;
    return nodeAffinity?.map(({ expressions }) => expressions.flatMap(({ values }) => values));
  };
  assert.deepEqual(affinity(['a'], ['b', 'c']), [['a'], ['b', 'c']]);
  assert.deepEqual(affinity(['a'], ['a']), [['a']]);
  assert.equal(affinity(['a'], []), undefined);
});

test('while classes are not listed, volumes made by hand are only for claims that ask for no class', () => {
  const attachable = (storageClassName: string) => {
    const objects = [volume({ ...ONCE, storageClassName, nfs: {} })];
    return read({ ...ONCE, storageClassName }, { objects, unlisted: 'storageclasses' }).claim.attachable;
  };
  assert.deepEqual(attachable(''), known(false));
  assert.equal(because(attachable('disks')), 'storageclasses are not listed');
});
