import { claim, deployment, written } from '../manifests.ts';
import { BAD, DEADLOCK, GOOD, type Tree } from './tree.ts';

const NODE = 'apiVersion: v1\nkind: Node\nmetadata: { name: a, labels: { kubernetes.io/hostname: a } }\n';

/** As controller-gen 0.2 wrote them: what goes on stands at the indent of its key. */
export function oldResourceDefinition(name: string, fields: number): string {
  const properties = Array.from(
    { length: fields },
    (_, index) => `          field${index}:
            description: 'Field ${index} says what the controller''s cluster
            should be like: see https://example.com/${index}
            for more'
            enum: [one,
            two]
            type: string
`,
  );
  return `
---
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata:
  annotations:
    controller-gen.kubebuilder.io/version: v0.2.4
  creationTimestamp: null
  name: ${name}
spec:
  validation:
    openAPIV3Schema:
      description: "${name} is the Schema for the
      API"
      properties:
        spec:
          description: 'Specification of
          everything'
${properties.join('')}status:
  conditions: []
`;
}

const CRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: rollouts.argoproj.io }
spec: { versions: [{ name: v1alpha1, schema: { openAPIV3Schema: { description: "{{ of the user }}" } } }] }
`;

const ROLLOUT = 'apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: { name: web }\nspec: {}\n';

/** Manifests, in the ways in which people keep them. */
export const KUBERNETES: readonly Tree[] = [
  {
    shape: 'definitions of an old controller-gen beside a Deployment',
    files: {
      'config/crd/webs.yaml': oldResourceDefinition('webs.example.com', 30),
      'config/crd/jobs.yaml': oldResourceDefinition('jobs.example.com', 3),
      'config/manager.yaml': BAD,
    },
    code: 1,
    notes: [],
    findings: DEADLOCK,
  },
  {
    shape: 'an operator whose definition, with everything else, is one installation file',
    files: { 'install.yaml': `${oldResourceDefinition('webs.example.com', 5)}---\n${BAD}` },
    code: 1,
    notes: [],
    findings: DEADLOCK,
  },
  {
    shape: 'definitions, rollouts and workloads of one controller',
    files: {
      'manifests/crds/rollout.yaml': CRD,
      'manifests/install.yaml': `${CRD}---\n${GOOD}`,
      'examples/a.yaml': ROLLOUT,
      'examples/b.yaml': ROLLOUT,
      'examples/values.yaml': 'a: 1\n',
    },
    code: 0,
    notes: [
      'skipped ./examples/values.yaml: values of a chart; lint what helm template prints',
      '2 of kind Rollout (argoproj.io) not judged',
    ],
  },
  {
    shape: 'a Node in the test data of a vendored package',
    files: { 'vendor/k8s.io/apimachinery/pkg/test/node.yaml': NODE, 'deploy/web.yaml': BAD, 'vendor/modules.txt': '' },
    code: 1,
    notes: ['skipped ./vendor: packages of others; name it to read it'],
    findings: DEADLOCK,
  },
  {
    shape: 'a Node in test data of its own',
    files: { 'test/e2e/node.yaml': NODE, 'deploy/web.yaml': BAD },
    code: 1,
    notes: [
      '1 Node does not count, because it stands in a file without a workload: ./test/e2e/node.yaml; name it by --nodes',
    ],
    findings: DEADLOCK,
  },
  {
    shape: 'a cluster that was written down into one file',
    files: { 'cluster.yaml': `${NODE}---\n${BAD}` },
    code: 0,
    notes: [],
  },
  {
    shape: 'staging and production, each with all objects',
    files: {
      'staging/claim.yaml': written(claim({ accessModes: ['ReadWriteMany'] })),
      'staging/web.yaml': written(deployment()),
      'production/claim.yaml': written(claim()),
      'production/web.yaml': written(deployment()),
    },
    code: 1,
    notes: [],
    findings: DEADLOCK,
  },
  {
    shape: 'lists as kubectl prints them in JSON',
    files: {
      'a.json': JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [claim(), deployment()] }, null, 4),
      'b.json': JSON.stringify({ apiVersion: 'apps/v1', kind: 'DeploymentList', items: [] }),
      'c.json': '[]\n',
    },
    code: 1,
    notes: ['skipped ./c.json: no Kubernetes object'],
    findings: DEADLOCK,
  },
  {
    shape: 'manifests in folders that begin with a dot',
    files: { '.k8s/web.yaml': BAD, '.git/web.yaml': BAD, '.github/workflows/ci.yml': 'on: push\njobs: {}\n' },
    code: 1,
    notes: ['skipped ./.github/workflows/ci.yml: no Kubernetes object'],
    findings: DEADLOCK,
  },
  {
    shape: 'Windows line ends and byte order marks',
    files: {
      'a.yaml': `\uFEFF${BAD}`.replaceAll('\n', '\r\n'),
      'b.yaml': `\uFEFF${written(claim({}, { name: 'b' }))}`,
    },
    code: 1,
    notes: [],
    findings: DEADLOCK,
  },
  {
    shape: 'documents with comments and ends',
    files: { 'a.yaml': `# a\n--- # b\n${BAD.replace('---\n', '...\n---\n# c\n')}...\n---\n---\n` },
    code: 1,
    notes: [],
    findings: DEADLOCK,
  },
  {
    shape: 'one file of 2,000 documents',
    files: {
      'all.yaml': Array.from({ length: 1000 }, (_, index) =>
        written(
          claim({}, { namespace: `n${index}` }),
          deployment({ strategy: { type: 'Recreate' } }, { namespace: `n${index}` }),
        ),
      ).join('---\n'),
    },
    code: 0,
    notes: [],
  },
  {
    shape: 'tests with manifests that are broken on purpose',
    files: {
      'web.yaml': GOOD,
      'testdata/broken.yaml': 'apiVersion: v1\nkind: Pod\nspec: "a" b\n',
      'testdata/wrong.yaml': 'apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: a }\nspec: { replicas: many }\n',
    },
    code: 2,
    notes: [],
    unreadable: [/^Unexpected /, /^replicas must be a whole number of at least 0, not "many": correct the manifest$/],
  },
  {
    shape: 'alerts and dashboards with braces, and nothing that is a template',
    files: {
      'rules.yaml': `apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
spec: { groups: [{ rules: [{ annotations: { summary: "{{ $labels.pod }} of {{ $value }}" } }] }] }
`,
      'page.yaml': `apiVersion: v1
kind: ConfigMap
data:
  page: |
    {{ range .Checks }}
    {% raw %}
`,
      'web.yaml': BAD,
    },
    code: 1,
    notes: [],
    findings: DEADLOCK,
  },
  {
    shape: 'settings of tools that look like Kubernetes',
    files: {
      'skaffold.yaml': 'apiVersion: skaffold/v4beta7\nkind: Config\n',
      'kind.yaml': 'kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\nnodes: [{ role: control-plane }]\n',
      'eks.yaml': 'apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\n',
    },
    code: 0,
    notes: [],
  },
];
