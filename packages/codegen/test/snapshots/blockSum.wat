(module
  (import "env" "memory" (memory 0))
  (func $threads0 (export "threads0") (param i32) (result i32)
    (local i32 i32 v128 v128)
    i32.const 1
    if $4
      i32.const 1
      i32x4.splat
      local.set 3
      block $5
        loop $6
          local.get 1
          i32.const 4
          i32.add
          i32.const 64
          i32.gt_u
          br_if $5
          local.get 1
          i32x4.splat
          v128.const i8x16 0 0 0 0 1 0 0 0 2 0 0 0 3 0 0 0
          i32x4.add
          local.get 3
          i32x4.add
          local.set 4
          local.get 0
          local.get 1
          i32.const 2
          i32.shl
          i32.add
          local.get 4
          v128.store offset=64 align=4
          local.get 1
          i32.const 4
          i32.add
          local.set 1
          br $6
        end
      end
    end
    block $0
      loop $1
        local.get 1
        i32.const 64
        i32.ge_u
        br_if $0
        block $2
          i32.const 0
          local.set 2
          block $3
            local.get 1
            i32.const 1
            i32.add
            local.set 2
          end
          local.get 0
          local.get 1
          i32.const 2
          i32.shl
          i32.add
          local.get 2
          i32.store offset=64 align=4
        end
        local.get 1
        i32.const 1
        i32.add
        local.set 1
        br $1
      end
    end
    i32.const 0
  )
  (func $threads2 (export "threads2") (param i32) (result i32)
    (local i32 i32 i32 v128 v128)
    i32.const 1
    if $4
      block $5
        loop $6
          local.get 1
          i32.const 4
          i32.add
          i32.const 64
          i32.gt_u
          br_if $5
          local.get 0
          local.get 1
          i32.const 2
          i32.shl
          i32.add
          v128.load offset=64 align=4
          local.set 4
          local.get 0
          local.get 1
          i32.const 2
          i32.shl
          i32.add
          v128.load offset=320 align=4
          local.set 5
          local.get 4
          local.get 5
          i32x4.add
          local.set 4
          local.get 0
          local.get 1
          i32.const 2
          i32.shl
          i32.add
          local.get 4
          v128.store offset=64 align=4
          local.get 1
          i32.const 4
          i32.add
          local.set 1
          br $6
        end
      end
    end
    block $0
      loop $1
        local.get 1
        i32.const 64
        i32.ge_u
        br_if $0
        block $2
          local.get 0
          local.get 1
          i32.const 2
          i32.shl
          i32.add
          i32.load offset=64 align=4
          local.set 2
          local.get 0
          local.get 1
          i32.const 2
          i32.shl
          i32.add
          i32.load offset=320 align=4
          local.set 3
          block $3
            local.get 2
            local.get 3
            i32.add
            local.set 2
          end
          local.get 0
          local.get 1
          i32.const 2
          i32.shl
          i32.add
          local.get 2
          i32.store offset=64 align=4
        end
        local.get 1
        i32.const 1
        i32.add
        local.set 1
        br $1
      end
    end
    i32.const 0
  )
  (func $threads4 (export "threads4") (param i32) (result i32)
    (local i32 i32 i32 v128 v128)
    i32.const 1
    if $4
      block $5
        loop $6
          local.get 1
          i32.const 4
          i32.add
          i32.const 64
          i32.gt_u
          br_if $5
          local.get 0
          local.get 1
          i32.const 2
          i32.shl
          i32.add
          v128.load offset=64 align=4
          local.set 4
          local.get 0
          local.get 1
          i32.const 2
          i32.shl
          i32.add
          v128.load offset=320 align=4
          local.set 5
          local.get 4
          local.get 5
          i32x4.add
          local.set 4
          local.get 0
          local.get 1
          i32.const 2
          i32.shl
          i32.add
          local.get 4
          v128.store offset=64 align=4
          local.get 1
          i32.const 4
          i32.add
          local.set 1
          br $6
        end
      end
    end
    block $0
      loop $1
        local.get 1
        i32.const 64
        i32.ge_u
        br_if $0
        block $2
          local.get 0
          local.get 1
          i32.const 2
          i32.shl
          i32.add
          i32.load offset=64 align=4
          local.set 2
          local.get 0
          local.get 1
          i32.const 2
          i32.shl
          i32.add
          i32.load offset=320 align=4
          local.set 3
          block $3
            local.get 2
            local.get 3
            i32.add
            local.set 2
          end
          local.get 0
          local.get 1
          i32.const 2
          i32.shl
          i32.add
          local.get 2
          i32.store offset=64 align=4
        end
        local.get 1
        i32.const 1
        i32.add
        local.set 1
        br $1
      end
    end
    i32.const 0
  )
  (func $threads6 (export "threads6") (param i32) (result i32)
    (local i32 i32 i32 v128 v128)
    i32.const 1
    if $4
      block $5
        loop $6
          local.get 1
          i32.const 4
          i32.add
          i32.const 64
          i32.gt_u
          br_if $5
          local.get 0
          local.get 1
          i32.const 2
          i32.shl
          i32.add
          v128.load offset=64 align=4
          local.set 4
          local.get 0
          local.get 1
          i32.const 2
          i32.shl
          i32.add
          v128.load offset=320 align=4
          local.set 5
          local.get 4
          local.get 5
          i32x4.add
          local.set 4
          local.get 0
          local.get 1
          i32.const 2
          i32.shl
          i32.add
          local.get 4
          v128.store offset=64 align=4
          local.get 1
          i32.const 4
          i32.add
          local.set 1
          br $6
        end
      end
    end
    block $0
      loop $1
        local.get 1
        i32.const 64
        i32.ge_u
        br_if $0
        block $2
          local.get 0
          local.get 1
          i32.const 2
          i32.shl
          i32.add
          i32.load offset=64 align=4
          local.set 2
          local.get 0
          local.get 1
          i32.const 2
          i32.shl
          i32.add
          i32.load offset=320 align=4
          local.set 3
          block $3
            local.get 2
            local.get 3
            i32.add
            local.set 2
          end
          local.get 0
          local.get 1
          i32.const 2
          i32.shl
          i32.add
          local.get 2
          i32.store offset=64 align=4
        end
        local.get 1
        i32.const 1
        i32.add
        local.set 1
        br $1
      end
    end
    i32.const 0
  )
  (func $threads8 (export "threads8") (param i32) (result i32)
    (local i32 i32 i32 v128 v128)
    i32.const 1
    if $4
      block $5
        loop $6
          local.get 1
          i32.const 4
          i32.add
          i32.const 64
          i32.gt_u
          br_if $5
          local.get 0
          local.get 1
          i32.const 2
          i32.shl
          i32.add
          v128.load offset=64 align=4
          local.set 4
          local.get 0
          local.get 1
          i32.const 2
          i32.shl
          i32.add
          v128.load offset=320 align=4
          local.set 5
          local.get 4
          local.get 5
          i32x4.add
          local.set 4
          local.get 0
          local.get 1
          i32.const 2
          i32.shl
          i32.add
          local.get 4
          v128.store offset=64 align=4
          local.get 1
          i32.const 4
          i32.add
          local.set 1
          br $6
        end
      end
    end
    block $0
      loop $1
        local.get 1
        i32.const 64
        i32.ge_u
        br_if $0
        block $2
          local.get 0
          local.get 1
          i32.const 2
          i32.shl
          i32.add
          i32.load offset=64 align=4
          local.set 2
          local.get 0
          local.get 1
          i32.const 2
          i32.shl
          i32.add
          i32.load offset=320 align=4
          local.set 3
          block $3
            local.get 2
            local.get 3
            i32.add
            local.set 2
          end
          local.get 0
          local.get 1
          i32.const 2
          i32.shl
          i32.add
          local.get 2
          i32.store offset=64 align=4
        end
        local.get 1
        i32.const 1
        i32.add
        local.set 1
        br $1
      end
    end
    i32.const 0
  )
  (func $threads10 (export "threads10") (param i32 f64 i32 f64 f64) (result i32)
    (local i32 i32 i32 f64 i32 i32)
    block $0
      loop $1
        local.get 5
        i32.const 64
        i32.ge_u
        br_if $0
        block $2
          local.get 0
          local.get 5
          i32.const 2
          i32.shl
          i32.add
          i32.load offset=64 align=4
          local.set 6
          local.get 0
          local.get 5
          i32.const 2
          i32.shl
          i32.add
          i32.load offset=320 align=4
          local.set 7
          block $3
            local.get 6
            local.get 7
            i32.add
            local.set 6
            local.get 5
            i32.const 31
            i32.and
            i32.const 0
            i32.eq
            if $5
              local.get 1
              local.get 5
              i32.const 32
              i32.div_u
              f64.convert_i32_u
              f64.const 4
              f64.mul
              f64.add
              local.set 8
              local.get 8
              i64.trunc_sat_f64_u
              i32.wrap_i64
              local.set 10
              local.get 8
              local.get 3
              f64.ge
              local.get 8
              f64.const 4
              f64.add
              local.get 4
              f64.le
              i32.and
              i32.eqz
              local.get 10
              i32.const 3
              i32.and
              i32.or
              if $4
                local.get 0
                local.get 8
                f64.store offset=8 align=8
                local.get 0
                local.get 2
                i32.store offset=16 align=4
                local.get 0
                local.get 5
                i32.store align=4
                i32.const 1
                return
              end
              local.get 10
              local.get 0
              i32.add
              i32.const 576
              i32.add
              local.set 9
              local.get 9
              local.get 6
              i32.store align=4
            end
          end
        end
        local.get 5
        i32.const 1
        i32.add
        local.set 5
        br $1
      end
    end
    i32.const 0
  )
  (func $threads11 (export "threads11") (param i32 i32 i32) (result i32)
    (local i32 i32 i32)
    block $0
      loop $1
        local.get 3
        i32.const 64
        i32.ge_u
        br_if $0
        block $2
          i32.const 0
          local.set 4
          i32.const 0
          local.set 5
          block $3
            i32.const 0
            local.set 4
            i32.const 16
            local.get 0
            i32.add
            i32.const 64
            i32.add
            i32.load align=4
            local.set 5
            local.get 4
            local.get 5
            i32.add
            local.set 4
            local.get 1
            local.get 0
            i32.add
            i32.const 64
            i32.add
            i32.load align=4
            local.set 5
            local.get 4
            local.get 5
            i32.add
            local.set 4
            local.get 2
            local.get 3
            i32.const 2
            i32.shl
            i32.add
            local.get 4
            i32.store align=4
          end
        end
        local.get 3
        i32.const 1
        i32.add
        local.set 3
        br $1
      end
    end
    i32.const 0
  )
)
