import { claim, deployment, written } from '../manifests.ts';
import { BAD, DEADLOCK, GOOD, NOTHING, type Tree, UNRENDERED } from './tree.ts';

const CHART = 'apiVersion: v2\nname: shop\nversion: 1.0.0\n';
const HELM = `{{- if .Values.web }}
apiVersion: apps/v1
kind: Deployment
metadata: { name: {{ include "shop.name" . }} }
spec: { replicas: {{ .Values.replicas }} }
{{- end }}
`;

/** What other programs make manifests of, with and without what they made. */
export const RENDERED: readonly Tree[] = [
  {
    shape: 'a chart that nobody rendered',
    files: {
      'shop/Chart.yaml': CHART,
      'shop/values.yaml': 'replicas: 1\n',
      'shop/templates/web.yaml': HELM,
      'shop/templates/_helpers.tpl': '{{ define "shop.name" }}{{ end }}',
      'shop/crds/web.yaml': 'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n',
      'README.md': '# Shop',
    },
    code: 2,
    notes: [
      'skipped ./shop/Chart.yaml: a chart; lint what helm template prints',
      'skipped ./shop/templates/web.yaml: a Helm template; lint what helm template prints',
      'skipped ./shop/values.yaml: values of a chart; lint what helm template prints',
    ],
    unreadable: [UNRENDERED],
  },
  {
    shape: 'the templates of a chart alone',
    files: { 'web.yaml': HELM, 'claim.yaml': 'kind: {{ .Values.kind }}\n' },
    code: 2,
    notes: ['skipped ./claim.yaml, ./web.yaml: a Helm template; lint what helm template prints'],
    unreadable: [UNRENDERED],
  },
  {
    shape: 'a chart and what it rendered to',
    files: {
      'shop/Chart.yaml': CHART,
      'shop/templates/web.yaml': HELM,
      'rendered/all.yaml': `---\n# Source: shop/templates/web.yaml\n${BAD}`,
    },
    code: 1,
    notes: [
      'skipped ./shop/Chart.yaml: a chart; lint what helm template prints',
      'skipped ./shop/templates/web.yaml: a Helm template; lint what helm template prints',
    ],
    findings: DEADLOCK,
  },
  {
    shape: 'what a chart rendered to with everything off',
    files: { 'all.yaml': '---\n# Source: shop/templates/web.yaml\n---\n# Source: shop/templates/claim.yaml\n' },
    code: 0,
    notes: [NOTHING],
  },
  {
    shape: 'values of a chart that lies elsewhere',
    files: { 'production-values.yaml': 'replicas: 3\n', 'values/stage.values.yaml': 'a: "b" c\n' },
    code: 0,
    notes: [
      'skipped ./production-values.yaml, ./values/stage.values.yaml: values of a chart; lint what helm template prints',
    ],
  },
  {
    shape: 'a base and overlays of kustomize',
    files: {
      'base/kustomization.yaml': 'resources: [web.yaml]\n',
      'base/web.yaml': BAD,
      'overlays/a/kustomization.yaml':
        'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [../../base]\npatches: [{ path: patch.yaml }]\n',
      'overlays/a/patch.yaml': written(deployment({ replicas: 3 })),
    },
    code: 1,
    notes: [
      'skipped ./base/kustomization.yaml, ./overlays/a/kustomization.yaml: a kustomization; lint what kustomize build prints',
      'skipped ./overlays/a/patch.yaml: a patch of a kustomization, not judged; lint what kustomize build prints',
      './base is judged as it stands, and not as ./overlays/a/kustomization.yaml changes it; lint what kustomize build prints',
    ],
    findings: DEADLOCK,
  },
  {
    shape: 'a kustomization of what lies elsewhere',
    files: { 'kustomization.yaml': 'resources: [https://github.com/example/web]\n' },
    code: 2,
    notes: ['skipped ./kustomization.yaml: a kustomization; lint what kustomize build prints'],
    unreadable: [UNRENDERED],
  },
  {
    shape: 'a kustomization that is broken',
    files: { 'kustomization.yaml': 'resources: [web.yaml\n', 'web.yaml': GOOD },
    code: 2,
    notes: [],
    unreadable: [/^Flow sequence/],
  },
  {
    shape: 'what Flux substitutes after the build',
    files: {
      'apps/claim.yaml': written(claim({ accessModes: [`\${MODE:=ReadWriteOnce}`] })),
      'apps/web.yaml': written(deployment()),
      'apps/job.yaml': written(deployment({ replicas: `\${REPLICAS:=1}` }, { name: 'job' })),
      'clusters/apps.yaml': `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: { name: apps }
spec: { postBuild: { substitute: { MODE: ReadWriteOnce } } }
`,
    },
    code: 0,
    notes: [],
    open: [
      'claim default/data is not in the input',
      `accessModes is "\${MODE:=ReadWriteOnce}", which is filled in later; lint what comes of it`,
      `replicas is "\${REPLICAS:=1}", which is filled in later; lint what comes of it`,
    ],
  },
  {
    shape: 'releases of Flux',
    files: {
      'web.yaml':
        'apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: { name: web }\nspec: { values: { a: 1 } }\n',
      'old.yaml': 'apiVersion: helm.toolkit.fluxcd.io/v2beta1\nkind: HelmRelease\nmetadata: { name: old }\n',
      'source.yaml': 'apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: { name: web }\n',
    },
    code: 0,
    notes: ['2 of kind HelmRelease (helm.toolkit.fluxcd.io) not judged'],
  },
  {
    shape: 'a Template of OpenShift',
    files: {
      'template.yaml': `apiVersion: template.openshift.io/v1
kind: Template
objects:
  - { apiVersion: apps/v1, kind: Deployment, spec: { replicas: "\${{REPLICAS}}" } }
parameters: [{ name: REPLICAS }]
`,
      'old.json': '{ "kind": "Template", "apiVersion": "v1", "objects": [] }',
    },
    code: 0,
    notes: ['2 of kind Template (template.openshift.io) not judged'],
  },
  {
    shape: 'applications of Argo CD',
    files: {
      'apps/web.yaml': 'apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: { name: web }\n',
      'apps/set.yaml': `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: { name: all }
spec: { template: { metadata: { name: '{{ .path.basename }}' } } }
`,
    },
    code: 0,
    notes: [],
  },
  {
    shape: 'templates of Jinja',
    files: {
      'web.yml': `{% for name in names %}\n---\n${BAD.replace('name: web', 'name: {{ name }}')}{% endfor %}\n`,
      'claim.yml': 'apiVersion: v1\nkind: PersistentVolumeClaim\nspec:\n  accessModes:\n    - {{ mode }}\n',
    },
    code: 0,
    notes: ['skipped ./claim.yml, ./web.yml: a template; lint what is made of it'],
  },
  {
    shape: 'templates of Go with many documents',
    files: { 'all.yaml': `${'apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Name }}\n---\n'.repeat(50)}${BAD}` },
    code: 1,
    notes: ['skipped ./all.yaml: a template; lint what is made of it'],
    findings: DEADLOCK,
  },
  {
    shape: 'a template of cookiecutter',
    files: {
      '{{cookiecutter.slug}}/k8s/web.yaml':
        'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ cookiecutter.slug }}\n',
      '{{cookiecutter.slug}}/k8s/job.yaml': written(deployment({ replicas: '{{ cookiecutter.replicas }}' })),
      'cookiecutter.json': '{ "slug": "web", "_copy_without_render": [] }',
    },
    code: 0,
    notes: [
      'skipped ./cookiecutter.json: no Kubernetes object',
      'skipped ./{{cookiecutter.slug}}/k8s/web.yaml: a template; lint what is made of it',
    ],
    open: ['replicas is "{{ cookiecutter.replicas }}", which is filled in later; lint what comes of it'],
  },
  {
    shape: 'manifests that sed completes',
    files: {
      'agent.yaml': 'apiVersion: apps/v1\nkind: DaemonSet\nspec:\n  a:\n    - b\n__EXTRA_VOLUMES__\n  c: d\n',
      'web.yaml': 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: @NAME@\n',
      'erb.yml': 'apiVersion: v1\nkind: Pod\n<% if a %>\nspec: {}\n<% end %>\n',
    },
    code: 0,
    notes: ['skipped ./agent.yaml, ./erb.yml, ./web.yaml: a template; lint what is made of it'],
  },
  {
    shape: 'manifests for envsubst',
    files: {
      'volumes.yaml': `apiVersion: v1\nkind: Pod\nspec:\n  a: b\n\${VOLUMES}\n`,
      'web.yaml': written(deployment({ replicas: '$REPLICAS' }, { name: '$NAME' })),
      'claim.yaml': written(claim({ resources: { requests: { storage: `\${SIZE}` } } })),
    },
    code: 0,
    notes: ['skipped ./volumes.yaml: a template; lint what is made of it'],
    open: ['replicas is "$REPLICAS", which is filled in later; lint what comes of it'],
  },
];
