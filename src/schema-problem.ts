import type { ErrorObject } from 'ajv';
import { didYouMean } from './did-you-mean.ts';

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
  const { description, properties, enum: choices } = parentSchema ?? {};
  if (keyword === 'additionalProperties') {
    const { additionalProperty } = params;
    const meant = didYouMean(additionalProperty, Object.keys(properties ?? {}));
    return `${within}${additionalProperty} is not known${meant || ':'} ${field || 'the configuration'} must be ${description}`;
  }
  if (keyword === 'required') {
    const { missingProperty } = params;
    return `${within}${missingProperty} is missing: it must be ${properties[missingProperty].description}`;
  }
  const meant = keyword === 'enum' && typeof data === 'string' ? didYouMean(data, choices.filter(isText)) : '';
  return `${field} must be ${description}, not ${JSON.stringify(data)}${meant}`;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
