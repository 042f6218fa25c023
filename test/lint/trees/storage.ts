import { claim, deployment, written } from '../manifests.ts';
import { BAD, DEADLOCK, type Tree } from './tree.ts';

const RECREATE = { strategy: { type: 'Recreate' } };
const PATCH = `kubectl patch --type merge -p '{"spec":{"strategy":{"type":"Recreate","rollingUpdate":null}}}'`;
const UNDER_APPLY =
  'under server-side apply (Helm 4, Flux, Argo CD by an option) an existing Deployment refuses Recreate until this has run:';

function classOf(provisioner: string, parameters: object): string {
  const metadata = { name: 'mine' };
  return written({ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata, provisioner, parameters });
}

/** What the input says of storage, and what is written into it. */
export const STORAGE: readonly Tree[] = [
  {
    shape: 'classes that kustomize named for NFS, and that are not in the input',
    files: {
      'built.yaml': written(
        claim({ storageClassName: 'shop-nfs' }, { namespace: 'shop' }),
        deployment({}, { namespace: 'shop' }),
      ),
    },
    code: 0,
    notes: [],
    open: ['storage class shop-nfs of claim shop/data is not in the input'],
  },
  {
    shape: 'a class that nobody knows',
    files: { 'a.yaml': written(claim({ storageClassName: 'fast' }), deployment()) },
    code: 1,
    notes: [],
    findings: DEADLOCK,
  },
  {
    shape: 'a class of vSphere for NFS',
    files: {
      'class.yaml': classOf('csi.vsphere.vmware.com', { 'csi.storage.k8s.io/fstype': 'nfs4' }),
      'web.yaml': written(claim({ storageClassName: 'mine', accessModes: ['ReadWriteMany'] }), deployment(RECREATE)),
    },
    code: 0,
    notes: [],
  },
  {
    shape: 'a class of vSphere that does not say of what',
    files: {
      'class.yaml': classOf('csi.vsphere.vmware.com', {}),
      'web.yaml': written(claim({ storageClassName: 'mine', accessModes: ['ReadWriteMany'] }), deployment(RECREATE)),
    },
    code: 0,
    notes: [],
    findings: ['access-mode-unsupported'],
  },
  {
    shape: 'a class whose block devices several nodes may have',
    files: {
      'class.yaml': classOf('diskplugin.csi.alibabacloud.com', { type: 'cloud_essd', multiAttach: 'true' }),
      'claim.yaml': written(claim({ storageClassName: 'mine', accessModes: ['ReadWriteMany'], volumeMode: 'Block' })),
    },
    code: 0,
    notes: [],
  },
  {
    shape: 'two namespaces to fix',
    files: {
      'shop/web.yaml': written(claim({}, { namespace: 'shop' }), deployment({}, { namespace: 'shop' })),
      'stage/web.yaml': written(claim({}, { namespace: 'stage' }), deployment({}, { namespace: 'stage' })),
    },
    fix: true,
    code: 0,
    notes: [
      'fixed ./shop/web.yaml',
      'fixed ./stage/web.yaml',
      `${UNDER_APPLY} ${PATCH} -n shop deployment/web`,
      `${UNDER_APPLY} ${PATCH} -n stage deployment/web`,
    ],
  },
  {
    shape: 'a fix beside a definition of an old controller-gen, which is left as it is',
    files: { 'all.yaml': `apiVersion: v1\nkind: Web\nspec:\n  a: 'one\n  two'\n---\n${BAD}` },
    fix: true,
    code: 0,
    notes: ['fixed ./all.yaml', `${UNDER_APPLY} ${PATCH} deployment/web`],
  },
];
