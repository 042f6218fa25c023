/*
 * Kubernetes reads the words of YAML 1.1 as booleans, and all else about as YAML 1.2 does
 * (`go.yaml.in/yaml/v2/resolve.go:resolve`, below `sigs.k8s.io/yaml`). So `suspend: yes` suspends, and a label of the value
 * `on` is none. Both of our parsers have to agree on it.
 */
import { boolYaml11Tag, CORE_SCHEMA } from 'js-yaml';
import { Composer, type ScalarTag, type Tags } from 'yaml';

/** The schema for js-yaml. */
export const QUICK_SCHEMA = CORE_SCHEMA.withTags(boolYaml11Tag);

const BOOLEAN: ScalarTag = {
  tag: 'tag:yaml.org,2002:bool',
  default: true,
  test: /^(?:y|Y|[Yy]es|YES|[Tt]rue|TRUE|[Oo]n|ON|n|N|[Nn]o|NO|[Ff]alse|FALSE|[Oo]ff|OFF)$/,
  resolve: (word) => /^(?:[yt]|on$)/i.test(word),
};

/** Makes documents of what the parser of `yaml` yields. */
export function composer(): Composer {
  return new Composer({ merge: true, prettyErrors: false, logLevel: 'silent', customTags: withBoolean });
}

function withBoolean(tags: Tags): Tags {
  return [...tags.filter((tag) => typeof tag === 'string' || tag.tag !== BOOLEAN.tag), BOOLEAN];
}
