import './block-rows.test.ts';
