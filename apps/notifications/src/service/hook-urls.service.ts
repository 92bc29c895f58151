import type { AgentService, ServiceWithUrl } from '@carillon/contracts';
import { cell, secret, setting } from '@carillon/runtime';
import { hashSecret, mintSecret } from '@carillon/signing';
import { Injectable } from '@nestjs/common';
import { hookPrefix } from './service';

/** Makes the URLs of services. Only the hash of a URL's secret is stored. */
@Injectable()
export class HookUrls {
  private readonly pepper = secret('CARILLON_PEPPER');
  private readonly cell = cell();
  private readonly hooks = `${setting('CARILLON_BASE_URL').replace(/\/+$/, '')}/hooks`;

  mint(): { secret: string; hookHash: string } {
    const { secret } = mintSecret(hookPrefix, this.cell);
    return { secret, hookHash: hashSecret(this.pepper, secret) };
  }

  /** The service with its URL, as it is shown once. */
  show(service: AgentService, hookSecret: string): ServiceWithUrl {
    const webhookUrl = `${this.hooks}/${hookSecret}`;
    return { service: { ...service, webhookUrl }, webhookUrl };
  }
}
