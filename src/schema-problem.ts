import type { ErrorObject } from 'ajv';

/**
 * What is wrong with a setting, and what it must be: the `description` of each part of the schema completes the sentence
 * "… must be". Ajv has to be asked for `verbose` errors.
 */
export function schemaProblem({ instancePath, keyword, params, parentSchema, data }: ErrorObject): string {
  const field = instancePath
    .slice(1)
    .replaceAll(/\/(\d+)/g, '[$1]')
    .replaceAll('/', '.');
  const within = field === '' ? '' : `${field}.`;
  const { description, properties } = parentSchema ?? {};
  if (keyword === 'additionalProperties') {
    return `${within}${params.additionalProperty} is not known: ${field || 'the configuration'} must be ${description}`;
  }
  if (keyword === 'required') {
    const { missingProperty } = params;
    return `${within}${missingProperty} is missing: it must be ${properties[missingProperty].description}`;
  }
  return `${field} must be ${description}, not ${JSON.stringify(data)}`;
}
