import './explore-bounds.test.ts';
