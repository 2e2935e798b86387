import './known-ranks.test.ts';
