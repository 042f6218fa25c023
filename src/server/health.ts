import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Logger } from 'pino';

/** One of the things that must hold before reviews may be sent here. `because` is read by whoever asks why it does not. */
export type Condition =
  /** `but` tells of something that does not hold reviews back. */
  | { readonly name: string; readonly ready: true; readonly but?: string }
  | { readonly name: string; readonly ready: false; readonly because: string };

export interface HealthDeps {
  /** The conditions, which are asked for anew at every probe. */
  readonly conditions: () => readonly Condition[];
  /** All metrics as text, in a format that the `Accept` header asks for. */
  readonly metrics: (accept: string) => Promise<{ readonly contentType: string; readonly text: string }>;
  readonly log: Logger;
}

/**
 * `/livez`, `/readyz` and `/metrics` on a plain port, for kubelet and Prometheus have no certificate for us. Builds the
 * server; whoever called this makes it listen.
 */
export function buildHealthServer(deps: HealthDeps): Server {
  return createServer((request, response) => {
    respond(request, response, deps).catch((error: unknown) => {
      deps.log.error({ err: error, path: request.url }, 'probe failed');
      send(response, 500, 'internal error: the log of rwo-guard tells more\n');
    });
  });
}

async function respond(request: IncomingMessage, response: ServerResponse, deps: HealthDeps): Promise<void> {
  const { url = '', headers } = request;
  switch (url.split('?')[0]) {
    case '/livez':
      return send(response, 200, 'ok\n');
    case '/readyz':
      return sendReadiness(response, deps.conditions());
    case '/metrics': {
      const { contentType, text } = await deps.metrics(headers.accept ?? '');
      response.setHeader('content-type', contentType);
      return send(response, 200, text);
    }
    default:
      return send(response, 404, 'this port has /livez, /readyz and /metrics\n');
  }
}

/** Answers in the form of the API server's own `/readyz?verbose`. */
function sendReadiness(response: ServerResponse, conditions: readonly Condition[]): void {
  const ready = conditions.every((condition) => condition.ready);
  const lines = conditions.map((condition) =>
    condition.ready
      ? `[+]${condition.name} ok${condition.but === undefined ? '' : `, but ${condition.but}`}`
      : `[-]${condition.name} not ready: ${condition.because}`,
  );
  const verdict = ready ? 'readyz check passed' : 'readyz check failed';
  send(response, ready ? 200 : 503, `${[...lines, verdict].join('\n')}\n`);
}

function send(response: ServerResponse, status: number, body: string): void {
  response.statusCode = status;
  if (!response.hasHeader('content-type')) response.setHeader('content-type', 'text/plain; charset=utf-8');
  response.end(body);
}
