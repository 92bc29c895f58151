import { numberSetting, portRange, settingOf } from '@carillon/settings';
import { Targets } from './routing/targets';

export interface ConnectorGatewaySettings {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly token: string;
  readonly connectorId: string;
  /** The key of the callback secret. */
  readonly callbackKey: Buffer;
  readonly host: string;
  readonly port: number;
  readonly keyFile: string | undefined;
  readonly targets: Targets;
}

/** What the environment says. Throws one sentence that names all that is missing or cannot be used. */
export function readSettings(): ConnectorGatewaySettings {
  const problems: string[] = [];
  const need = (name: string, value: string | undefined, form: RegExp, is: string): string => {
    if (value === undefined) problems.push(`${name} is missing (${is})`);
    else if (!form.test(value)) problems.push(`${name} is not ${is}`);
    return value ?? '';
  };
  const baseUrl = need(
    'CARILLON_BASE_URL',
    settingOf('CARILLON_BASE_URL'),
    /^https?:\/\/[^\s/?#]+(\/[^\s?#]*)?$/,
    'the address of Carillon, such as https://carillon.example',
  );
  const token = need(
    'CARILLON_API_TOKEN',
    settingOf('CARILLON_API_TOKEN'),
    /^[\x21-\x7e]+$/,
    'an API token with the scopes connectors:read and connectors:write',
  );
  const connectorId = need(
    'CONNECTOR_ID',
    settingOf('CONNECTOR_ID'),
    /^con_[0-9a-z]{26}$/,
    'the id of the connector, con_…',
  );
  const secret = need(
    'CONNECTOR_CALLBACK_SECRET',
    settingOf('CONNECTOR_CALLBACK_SECRET'),
    /^whsec_[A-Za-z0-9+/]{43}=$/,
    'the secret that Carillon showed when the connector was made, whsec_…',
  );
  const keyFile = settingOf('CONNECTOR_KEY_PATH');
  const host = settingOf('HOST') ?? '127.0.0.1';
  const port = numberSetting('PORT', 8787, portRange);
  let targets = new Targets();
  try {
    targets = new Targets(
      settingOf('CONNECTOR_TARGETS')
        ?.split(',')
        .map((network) => network.trim()),
    );
  } catch {
    problems.push('CONNECTOR_TARGETS is not a list of networks, such as 10.0.0.0/8,127.0.0.1');
  }
  if (problems.length > 0) throw new Error(problems.join('; '));
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    token,
    connectorId,
    callbackKey: Buffer.from(secret.slice('whsec_'.length), 'base64'),
    host,
    port,
    keyFile,
    targets,
  };
}
