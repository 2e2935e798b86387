import './warp-lines.test.ts';
