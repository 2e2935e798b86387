import './reached-ranks.test.ts';
