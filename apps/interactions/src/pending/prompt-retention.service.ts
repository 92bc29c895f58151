import { keepDays, Retention } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';

@Injectable()
export class PromptRetention extends Retention {
  protected readonly tables = [{ table: 'prompts', column: 'created_at', days: keepDays() }];
}
