import './building-blocks.test.ts';
