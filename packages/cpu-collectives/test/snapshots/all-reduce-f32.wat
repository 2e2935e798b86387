(module
  (import "env" "memory" (memory 0 65536 shared))
  (func $part0 (param i32 i32)
    (local i32 v128 v128 v128 v128 v128 v128 v128 v128 v128 v128)
    local.get 0
    local.set 2
    block $0
      loop $1
        local.get 1
        local.get 2
        i32.sub
        i32.const 64
        i32.lt_u
        br_if $0
        local.get 2
        v128.load offset=8192 align=1
        local.set 3
        local.get 3
        local.set 5
        local.get 2
        v128.load offset=20000 align=1
        local.set 3
        local.get 3
        local.set 4
        local.get 5
        local.get 4
        f32x4.add
        local.set 5
        local.get 2
        v128.load offset=40000 align=1
        local.set 3
        local.get 3
        local.set 4
        local.get 5
        local.get 4
        f32x4.add
        local.set 5
        local.get 5
        local.set 5
        local.get 5
        local.set 9
        local.get 2
        local.get 9
        v128.store offset=8192 align=1
        local.get 2
        v128.load offset=8208 align=1
        local.set 3
        local.get 3
        local.set 6
        local.get 2
        v128.load offset=20016 align=1
        local.set 3
        local.get 3
        local.set 4
        local.get 6
        local.get 4
        f32x4.add
        local.set 6
        local.get 2
        v128.load offset=40016 align=1
        local.set 3
        local.get 3
        local.set 4
        local.get 6
        local.get 4
        f32x4.add
        local.set 6
        local.get 6
        local.set 6
        local.get 6
        local.set 10
        local.get 2
        local.get 10
        v128.store offset=8208 align=1
        local.get 2
        v128.load offset=8224 align=1
        local.set 3
        local.get 3
        local.set 7
        local.get 2
        v128.load offset=20032 align=1
        local.set 3
        local.get 3
        local.set 4
        local.get 7
        local.get 4
        f32x4.add
        local.set 7
        local.get 2
        v128.load offset=40032 align=1
        local.set 3
        local.get 3
        local.set 4
        local.get 7
        local.get 4
        f32x4.add
        local.set 7
        local.get 7
        local.set 7
        local.get 7
        local.set 11
        local.get 2
        local.get 11
        v128.store offset=8224 align=1
        local.get 2
        v128.load offset=8240 align=1
        local.set 3
        local.get 3
        local.set 8
        local.get 2
        v128.load offset=20048 align=1
        local.set 3
        local.get 3
        local.set 4
        local.get 8
        local.get 4
        f32x4.add
        local.set 8
        local.get 2
        v128.load offset=40048 align=1
        local.set 3
        local.get 3
        local.set 4
        local.get 8
        local.get 4
        f32x4.add
        local.set 8
        local.get 8
        local.set 8
        local.get 8
        local.set 12
        local.get 2
        local.get 12
        v128.store offset=8240 align=1
        local.get 2
        local.get 9
        v128.store offset=20000 align=1
        local.get 2
        local.get 10
        v128.store offset=20016 align=1
        local.get 2
        local.get 11
        v128.store offset=20032 align=1
        local.get 2
        local.get 12
        v128.store offset=20048 align=1
        local.get 2
        local.get 9
        v128.store offset=40000 align=1
        local.get 2
        local.get 10
        v128.store offset=40016 align=1
        local.get 2
        local.get 11
        v128.store offset=40032 align=1
        local.get 2
        local.get 12
        v128.store offset=40048 align=1
        local.get 2
        i32.const 64
        i32.add
        local.set 2
        br $1
      end
    end
    block $2
      loop $3
        local.get 1
        local.get 2
        i32.sub
        i32.const 16
        i32.lt_u
        br_if $2
        local.get 2
        v128.load offset=8192 align=1
        local.set 3
        local.get 3
        local.set 5
        local.get 2
        v128.load offset=20000 align=1
        local.set 3
        local.get 3
        local.set 4
        local.get 5
        local.get 4
        f32x4.add
        local.set 5
        local.get 2
        v128.load offset=40000 align=1
        local.set 3
        local.get 3
        local.set 4
        local.get 5
        local.get 4
        f32x4.add
        local.set 5
        local.get 5
        local.set 5
        local.get 5
        local.set 9
        local.get 2
        local.get 9
        v128.store offset=8192 align=1
        local.get 2
        local.get 9
        v128.store offset=20000 align=1
        local.get 2
        local.get 9
        v128.store offset=40000 align=1
        local.get 2
        i32.const 16
        i32.add
        local.set 2
        br $3
      end
    end
  )
  (func $shares (param i32 i32)
    (local i32 i32 i32)
    i32.const 4000
    i32.const 63
    i32.add
    i32.const 64
    i32.div_u
    local.get 1
    i32.add
    i32.const 1
    i32.sub
    local.get 1
    i32.div_u
    i32.const 64
    i32.mul
    local.tee 2
    local.get 2
    local.get 0
    i32.mul
    local.tee 2
    i32.add
    local.set 3
    i32.const 4000
    local.get 3
    i32.const 4000
    local.get 3
    i32.lt_u
    select
    local.set 3
    local.get 3
    local.get 2
    local.get 3
    local.get 2
    i32.lt_u
    select
    local.set 2
    block $0
      loop $1
        local.get 2
        local.get 3
        i32.ge_u
        br_if $0
        local.get 2
        local.get 3
        local.get 2
        i32.sub
        i32.const 65536
        i32.lt_u
        if $2 (result i32)
          local.get 3
        else
          local.get 2
          i32.const 65536
          i32.add
        end
        local.tee 4
        call $part0
        local.get 4
        local.set 2
        br $1
      end
    end
  )
  (func $meet (param i32 i32)
    (local i32 i32 i32 i32 i32 i32 i32)
    i32.const 1048576
    i32.const 65536
    local.get 1
    i32.const 2
    i32.le_u
    select
    local.set 7
    local.get 0
    i32.const 128
    i32.mul
    local.tee 2
    local.get 2
    i32.atomic.load offset=1536 align=4
    i32.const 1
    i32.add
    local.tee 3
    i32.atomic.store offset=1536 align=4
    block $0
      loop $1
        local.get 4
        local.get 1
        i32.ge_u
        br_if $0
        local.get 4
        i32.const 128
        i32.mul
        local.set 5
        local.get 4
        i32.const 1
        i32.add
        local.set 4
        loop $2
          local.get 5
          i32.atomic.load offset=1536 align=4
          local.tee 8
          local.get 3
          i32.sub
          i32.const 0
          i32.ge_s
          br_if $1
          local.get 6
          i32.const 1
          i32.add
          local.tee 6
          local.get 7
          i32.ge_u
          if $3
            i32.const 0
            local.set 6
            local.get 5
            local.get 8
            i64.const 50000
            memory.atomic.wait32 offset=1536 align=4
            drop
          end
          br $2
        end
      end
    end
  )
  (func $run (export "run") (param i32 i32 i32)
    block $0
      local.get 2
      i32.eqz
      br_if $0
      loop $1
        local.get 0
        local.get 1
        call $shares
        local.get 1
        i32.const 1
        i32.gt_u
        if $2
          local.get 0
          local.get 1
          call $meet
        end
        local.get 2
        i32.const 1
        i32.sub
        local.tee 2
        i32.eqz
        br_if $0
        local.get 1
        i32.const 1
        i32.gt_u
        if $2
          local.get 0
          local.get 1
          call $meet
        end
        br $1
      end
    end
  )
)
