import { keepDays, Retention } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';

@Injectable()
export class ActivityRetention extends Retention {
  protected readonly tables = [{ table: 'activities', column: 'created_at', days: keepDays() }];
}
