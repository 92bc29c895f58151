import { runService } from '@carillon/runtime';
import { WebhooksModule } from './webhooks.module';

await runService({ name: 'webhooks', module: WebhooksModule });
