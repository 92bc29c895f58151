import { runService } from '@carillon/service';
import { WebhooksModule } from './webhooks.module';

await runService({ name: 'webhooks', module: WebhooksModule });
