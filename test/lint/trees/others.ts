import { BAD, DEADLOCK, GOOD, NOTHING, type Tree } from './tree.ts';

const DEVCONTAINER = '{\n  // of the editor\n  "image": "node", /* newest */\n  "features": {},\n}\n';

/** What lies beside manifests, or where none are. */
export const OTHERS: readonly Tree[] = [
  { shape: 'an empty folder', files: {}, code: 0, notes: [NOTHING] },
  {
    shape: 'a program with the settings of its tools',
    files: {
      'Taskfile.yml': 'version: "3"\ntasks:\n  deploy: { cmds: ["kubectl apply -f {{.FILE}}"] }\n  broken: "a" b\n',
      '.devcontainer/devcontainer.json': DEVCONTAINER,
      'tsconfig.json': DEVCONTAINER,
      'package.json': '{ "name": "web" }',
      'docker-compose.yaml': `services:\n  web: { image: "web:\${TAG:-latest}" }\n`,
      '.github/workflows/ci.yml': `on: push\njobs:\n  a:\n    steps:\n      - run: echo \${{ github.sha }}\n`,
    },
    code: 0,
    notes: [
      'skipped ./.devcontainer/devcontainer.json, ./.github/workflows/ci.yml, ./Taskfile.yml and 3 more: no Kubernetes object',
    ],
  },
  {
    shape: 'a workflow that applies manifests of its own',
    files: {
      '.github/workflows/ci.yml':
        'jobs:\n  a:\n    steps:\n      - run: |\n          apiVersion: v1\n          kind: Pod\n     bad: [\n',
      'k8s/web.yaml': BAD,
    },
    code: 1,
    notes: ['skipped ./.github/workflows/ci.yml: no Kubernetes object'],
    findings: DEADLOCK,
  },
  {
    shape: 'playbooks and roles of Ansible',
    files: {
      'site.yml':
        '- hosts: all\n  vars: { a: "{{ b }}" }\n  tasks:\n    - k8s: { state: present, definition: "{{ c }}" }\n',
      'roles/a/tasks/main.yml': '- name: a\n  shell: !vault |\n    abc\n  when: b is defined and\n    c\n',
      'roles/a/templates/web.yml': 'apiVersion: v1\nkind: Pod\nspec: {{ spec | to_nice_yaml }}\n',
      'group_vars/all.yml': '---\na: 1\n',
    },
    code: 0,
    notes: [
      'skipped ./group_vars/all.yml, ./roles/a/tasks/main.yml, ./site.yml: no Kubernetes object',
      'skipped ./roles/a/templates/web.yml: a template; lint what is made of it',
    ],
  },
  {
    shape: 'Terraform and CloudFormation',
    files: {
      'main.tf': 'resource "a" "b" {}',
      'override.tf.json': '{ "resource": {} }',
      'stack.yaml': 'Resources:\n  A: { Type: AWS::EC2::Volume, Properties: { Size: !Ref Size, Zone: !GetAtt B.C } }\n',
    },
    code: 0,
    notes: ['skipped ./override.tf.json, ./stack.yaml: no Kubernetes object'],
  },
  {
    shape: 'packages that npm fetched',
    files: { 'node_modules/a/test/web.yaml': BAD, 'web/node_modules/b/c.json': '{', 'deploy/web.yaml': GOOD },
    code: 0,
    notes: ['skipped ./node_modules, ./web/node_modules: packages of others; name it to read it'],
  },
  {
    shape: 'links in circles, to folders and to nowhere',
    files: { 'a/web.yaml': GOOD },
    links: { 'a/b': '..', 'a/c.yaml': '../a', 'loop.yaml': 'loop.yaml', 'gone.json': 'nowhere/gone.json' },
    code: 0,
    notes: [
      'skipped ./a/c.yaml: a link to a folder; name it to read it',
      'skipped ./gone.json, ./loop.yaml: a link that leads nowhere',
    ],
  },
  {
    shape: 'a file that may not be read',
    files: { 'web.yaml': GOOD },
    closed: ['secret.yaml'],
    code: 2,
    notes: [],
    unreadable: [/^(EIO|EACCES): /],
  },
  {
    shape: 'binary files with the names of manifests',
    files: {
      'image.yaml': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 0xff, 0xfe, 0x0a, 0x7b, 0x5b]),
      'data.json': Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 7919) % 256)),
      'web.yaml': BAD,
    },
    code: 1,
    notes: ['skipped ./data.json, ./image.yaml: no Kubernetes object'],
    findings: DEADLOCK,
  },
  {
    shape: 'a manifest in UTF-16',
    files: { 'web.yaml': Buffer.from(`\uFEFF${BAD}`, 'utf16le') },
    code: 2,
    notes: [],
    unreadable: [/^this is UTF-16: save it as UTF-8$/],
  },
  {
    shape: 'settings in UTF-16',
    files: { 'settings.json': Buffer.from('\uFEFF{ "a": 1 }', 'utf16le') },
    code: 0,
    notes: ['skipped ./settings.json: no Kubernetes object'],
  },
  {
    shape: 'empty files and files of comments',
    files: { 'a.yaml': '', 'b.yaml': '# later\n', 'c.json': '', 'd.yml': '---\n...\n' },
    code: 0,
    notes: [NOTHING],
  },
  {
    shape: 'texts, numbers and lists that YAML can read',
    files: {
      'a.yaml': 'hello\n',
      'b.yaml': '3\n',
      'c.yaml': '- a\n- b\n',
      'd.json': '[{ "kind": "x" }]',
      'e.json': '"a"',
    },
    code: 0,
    notes: ['skipped ./a.yaml, ./b.yaml, ./c.yaml and 2 more: no Kubernetes object'],
  },
  {
    shape: 'the description of an API, in one large line',
    files: { 'openapi.json': JSON.stringify({ openapi: '3.0.0', paths: Array(20_000).fill({ get: { kind: 'a' } }) }) },
    code: 0,
    notes: ['skipped ./openapi.json: no Kubernetes object'],
  },
];
