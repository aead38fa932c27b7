"""The names of all operators, in resolution order, by module: so a module is imported when an operator of it is used.

`tests/operators/test_table.py` writes this file from the definitions: ``pytest --update``. See
`tscript.definitions.operator_index`.
"""

VISIBLE = """
add.int sub.int mul.int div.int floor_divide.int remainder.int divmod.int neg.int positive.int abs.int min.int max.int
bitwise_not.int bitwise_and.int bitwise_or.int bitwise_xor.int bitwise_left_shift.int bitwise_right_shift.int not.bool
bitwise_and.bool bitwise_or.bool bitwise_xor.bool pow.int pow.mod pow.float add.float sub.float mul.float div.float
floor_divide.float remainder.float neg.float positive.float abs.float min.float max.float divmod.float round.int
round.int_digits round.float round.float_digits eq.bool ne.bool eq.int ne.int lt.int le.int gt.int ge.int eq.float
ne.float lt.float le.float gt.float ge.float eq.int_float ne.int_float lt.int_float le.int_float gt.int_float
ge.int_float eq.float_int ne.float_int lt.float_int le.float_int gt.float_int ge.float_int eq.dtype ne.dtype int.int
int.bool int.float float.float float.int float.bool bool.bool bool.int bool.float wrapping_add.int wrapping_sub.int
wrapping_mul.int wrapping_shl.int | math_acos math_acosh math_asin math_asinh math_atan math_atanh math_cbrt math_cos
math_cosh math_degrees math_erf math_erfc math_exp math_exp2 math_expm1 math_fabs math_log math_log1p math_log2
math_log10 math_radians math_sin math_sinh math_sqrt math_tan math_tanh math_ulp math_atan2 math_copysign math_fmod
math_hypot math_ldexp math_log.base math_nextafter math_pow math_remainder math_ceil.int math_ceil.float math_floor.int
math_floor.float math_trunc.int math_trunc.float math_isfinite math_isinf math_isnan math_isclose math_gamma math_lgamma
math_factorial math_gcd math_isqrt math_lcm | add add_ sub sub_ rsub mul mul_ div div_ neg neg_ positive abs abs_ square
square_ sign sign_ reciprocal reciprocal_ lerp lerp_ addcmul addcmul_ addcdiv addcdiv_ | floor_divide floor_divide_
trunc_divide trunc_divide_ remainder remainder_ fmod fmod_ div.mode | floor floor_ ceil ceil_ trunc trunc_ round round_
frac frac_ | eq eq_ ne ne_ lt lt_ le le_ gt gt_ ge ge_ maximum maximum_ minimum minimum_ clamp clamp_ clamp.min
clamp_.min clamp.max clamp_.max clamp.max_positional clamp_.max_positional clamp_min clamp_min_ clamp_max clamp_max_
isnan isinf isfinite | where where_of masked_fill masked_fill_ | logical_and logical_and_ logical_or logical_or_
logical_xor logical_xor_ logical_not logical_not_ bitwise_and bitwise_and_ bitwise_or bitwise_or_ bitwise_xor
bitwise_xor_ bitwise_not bitwise_not_ bitwise_left_shift bitwise_left_shift_ bitwise_right_shift bitwise_right_shift_ |
pow pow_ exp exp_ expm1 expm1_ log log_ log1p log1p_ log2 log2_ log10 log10_ sqrt sqrt_ rsqrt rsqrt_ erf erf_ | sin sin_
cos cos_ tanh tanh_ | to.dtype to.other type_as to_float to_double to_int to_long to_short to_char to_byte to_bool clone
copy_ fill_ zero_ | relu relu_ leaky_relu leaky_relu_ elu elu_ hardtanh hardtanh_ relu6 relu6_ hardsigmoid hardsigmoid_
hardswish hardswish_ sigmoid sigmoid_ silu silu_ softplus softplus_ log_sigmoid log_sigmoid_ mish mish_ gelu_erf
gelu_tanh gelu glu softmin softsign tanhshrink | sum sum.dim prod prod.dim mean mean.dim max max.dim max.other amax
argmax min min.dim min.other amin argmin any any.dim all all.dim var var.dim var.correction | softmax softmax.dtype
log_softmax log_softmax.dtype logsumexp | std std.dim std.correction var_mean var_mean.dim var_mean.correction std_mean
std_mean.dim std_mean.correction | linalg_vector_norm norm norm.str dist pairwise_distance cosine_similarity | normalize
layer_norm batch_norm rms_norm | l1_loss mse_loss smooth_l1_loss huber_loss | transpose t T mT permute view view_as
reshape reshape_as flatten ravel unflatten squeeze squeeze.dims unsqueeze expand expand_as broadcast_to diagonal
contiguous detach alias | select.int slice.Tensor narrow index_select gather | zeros ones empty full zeros_like
ones_like empty_like full_like new_zeros new_ones new_empty new_full arange arange.start arange.start_step linspace eye
eye.m tensor tensor_of_ints tensor_of_floats cat stack | matmul mm mv dot bmm addmv addr inner trace outer linear
linear.bias addmm baddbmm | embedding scaled_dot_product_attention | store_out cast_out | size size.int stride
stride.int dim numel storage_offset element_size is_contiguous dtype is_floating_point is_floating_point.dtype
is_signed.dtype item item.int item.bool item.float item.number bool.Tensor int.Tensor float.Tensor len.Tensor len.tuple
getitem.tuple getitem.Size | str.int repr.int str.float repr.float str.bool repr.bool str.complex repr.complex str.None
repr.None format.int format.float format.bool format.complex format.str percent.int percent.float percent.str str.Tensor
str.item repr.Tensor repr.item format.Tensor hex.int oct.int bin.int int.str float.str | len.list getitem.list
setitem.list delitem.list slice.list set_slice.list delete_slice.list append.list extend.list insert.list pop.list
remove.list clear.list reserve.list reverse.list sort.list iadd.list imul.list permute.list index.list tuple_index.list
count.list contains.list copy.list add.list mul.list eq.list ne.list lt.list le.list gt.list ge.list to_list.list
to_tuple.list sorted.list argsort.list take.list argmin.list argmax.list min.list max.list sum.list_int sum.list_float |
len.dict getitem.dict setitem.dict delitem.dict contains.dict get.dict get.dict_default pop.dict pop.dict_default
popitem.dict setdefault.dict update.dict clear.dict ior.dict copy.dict bitwise_or.dict eq.dict ne.dict keys.dict
values.dict items.dict fromkeys.list to_dict.list | len.set contains.set add.set discard.set remove.set pop.set
clear.set update.set intersection_update.set difference_update.set symmetric_difference_update.set ior.set iand.set
isub.set ixor.set copy.set union.set bitwise_or.set intersection.set bitwise_and.set difference.set sub.set
symmetric_difference.set bitwise_xor.set issubset.set issuperset.set isdisjoint.set eq.set ne.set le.set lt.set ge.set
gt.set to_set.list to_list.set | next_entry.dict entry_key.dict next_entry.set entry_key.set entry_value.dict | cat.list
stack.list list_size list_tensor.int list_tensor.float | complex.parts real.complex imag.complex bytes.list | hash.any
eq.any ne.any lt.any le.any gt.any ge.any repr.any str.any | print | add.str add.bytes mul.str mul.bytes mul.int_str
mul.int_bytes eq.str eq.bytes ne.str ne.bytes lt.str lt.bytes le.str le.bytes gt.str gt.bytes ge.str ge.bytes
contains.str contains.bytes contains.byte getitem.str getitem.bytes slice.str slice.bytes len.str len.bytes bool.str
bool.bytes find.str find.bytes rfind.str rfind.bytes index.str index.bytes rindex.str rindex.bytes count.str count.bytes
startswith.str startswith.bytes endswith.str endswith.bytes replace.str replace.bytes removeprefix.str
removeprefix.bytes removesuffix.str removesuffix.bytes split.str split.bytes rsplit.str rsplit.bytes splitlines.str
splitlines.bytes partition.str partition.bytes rpartition.str rpartition.bytes strip.str strip.bytes lstrip.str
lstrip.bytes rstrip.str rstrip.bytes join.str join.bytes encode.str decode.bytes hex.bytes ord.str ord.bytes hash.str
hash.bytes chr.int | upper.str upper.bytes lower.str lower.bytes capitalize.str capitalize.bytes title.str title.bytes
swapcase.str swapcase.bytes casefold.str isalpha.str isalpha.bytes isdigit.str isdigit.bytes isalnum.str isalnum.bytes
isspace.str isspace.bytes isascii.str isascii.bytes isupper.str isupper.bytes islower.str islower.bytes istitle.str
istitle.bytes isdecimal.str isnumeric.str isidentifier.str isprintable.str center.str center.bytes ljust.str ljust.bytes
rjust.str rjust.bytes zfill.str zfill.bytes expandtabs.str expandtabs.bytes repr.str repr.bytes ascii.str ascii.bytes |
|  |  |  |  |  |  |  |  |  |  |
"""

HIDDEN = """
fits.int pow.int_as_float wrapping_pow.int wrapping_neg.int wrapping_abs.int wrapping_floor_divide.int
wrapping_divmod.int wrapping_round.int_digits | extern.exp extern.exp2 extern.expm1 extern.log extern.log2 extern.log10
extern.log1p extern.sin extern.cos extern.tan extern.asin extern.acos extern.atan extern.atan2 extern.sinh extern.cosh
extern.tanh extern.asinh extern.acosh extern.atanh extern.erf extern.erfc extern.fmod extern.pow extern.remainder
extern.cbrt extern.nextafter extern.logb extern.ldexp wrapping_math_factorial wrapping_math_gcd wrapping_math_lcm |  |
check_divisor check_divisor.int |  |  |  |  |  |  |  |  |  |  |  |  |  |  |  |  |  |  |  |  | slice.Size add.Size
eq.Size |  | wrapping_sum.list_int |  |  | has_item.list |  |  |  | flush | character.str code_at.str isalnum.code
isalpha.code isdigit.code isspace.code next_piece.str |  | machine.add machine.sub machine.mul machine.add_overflows
machine.sub_overflows machine.mul_overflows machine.div machine.quot machine.rem machine.neg machine.and machine.or
machine.xor machine.not machine.shl machine.shr machine.unsigned_less machine.unsigned_shr machine.eq machine.ne
machine.lt machine.le machine.gt machine.ge machine.select machine.likely machine.sqrt machine.fabs machine.copysign
machine.floor machine.ceil machine.trunc machine.rint machine.fmuladd machine.convert machine.bitcast machine.load
machine.store machine.offset machine.field machine.pointer_cast machine.address machine.pointer machine.stack
machine.symbol machine.function machine.text machine.frame_address machine.counter machine.pause machine.context
machine.memcpy machine.memset machine.atomic_add machine.atomic_add_relaxed machine.atomic_add_release
machine.atomic_cas machine.atomic_load machine.atomic_store machine.atomic_store_relaxed machine.atomic_release
machine.atomic_acquire machine.atomic_relaxed tuple.make tuple.get | wait | find.cache keep.cache clear.cache
counts.cache | upcast downcast box unbox is_none is_instance | list.make dict.make set.make | object.make
get_field.object set_field.object is_same named.make enum.index enum.member class_name.object | new.exception
chain.exception str.exception repr.exception args.exception | moves.table version.table set_hashes.table
next_place.table next_entry.table entry_at.table entry.table is_entry.table entry_hash.table add_entry.table
set_entry.table drop_entry.table missing.table | retain release | scalar_type | item_in.list set_item_in.list
code_in.str | append_to.str append_to.bytes append_to.list
"""

PATHS = """
add: torch.add Tensor.add sub: torch.sub Tensor.sub torch.subtract Tensor.subtract mul: torch.mul Tensor.mul
torch.multiply Tensor.multiply div: torch.div Tensor.div torch.divide Tensor.divide torch.true_divide Tensor.true_divide
floor_divide: torch.floor_divide Tensor.floor_divide remainder: torch.remainder Tensor.remainder neg: torch.neg
Tensor.neg torch.negative Tensor.negative positive: torch.positive Tensor.positive abs: torch.abs Tensor.abs
torch.absolute Tensor.absolute min: torch.min Tensor.min max: torch.max Tensor.max bitwise_not: torch.bitwise_not
Tensor.bitwise_not bitwise_and: torch.bitwise_and Tensor.bitwise_and bitwise_or: torch.bitwise_or Tensor.bitwise_or
bitwise_xor: torch.bitwise_xor Tensor.bitwise_xor bitwise_left_shift: torch.bitwise_left_shift Tensor.bitwise_left_shift
bitwise_right_shift: torch.bitwise_right_shift Tensor.bitwise_right_shift pow: torch.pow Tensor.pow round: torch.round
Tensor.round torch.special.round eq: torch.eq Tensor.eq ne: torch.ne Tensor.ne torch.not_equal Tensor.not_equal lt:
torch.lt Tensor.lt torch.less Tensor.less le: torch.le Tensor.le torch.less_equal Tensor.less_equal gt: torch.gt
Tensor.gt torch.greater Tensor.greater ge: torch.ge Tensor.ge torch.greater_equal Tensor.greater_equal math_acos:
math.acos math_acosh: math.acosh math_asin: math.asin math_asinh: math.asinh math_atan: math.atan math_atanh: math.atanh
math_cbrt: math.cbrt math_cos: math.cos math_cosh: math.cosh math_degrees: math.degrees math_erf: math.erf math_erfc:
math.erfc math_exp: math.exp math_exp2: math.exp2 math_expm1: math.expm1 math_fabs: math.fabs math_log: math.log
math_log1p: math.log1p math_log2: math.log2 math_log10: math.log10 math_radians: math.radians math_sin: math.sin
math_sinh: math.sinh math_sqrt: math.sqrt math_tan: math.tan math_tanh: math.tanh math_ulp: math.ulp math_atan2:
math.atan2 math_copysign: math.copysign math_fmod: math.fmod math_hypot: math.hypot math_ldexp: math.ldexp
math_nextafter: math.nextafter math_pow: math.pow math_remainder: math.remainder math_ceil: math.ceil math_floor:
math.floor math_trunc: math.trunc math_isfinite: math.isfinite math_isinf: math.isinf math_isnan: math.isnan
math_isclose: math.isclose math_gamma: math.gamma math_lgamma: math.lgamma math_factorial: math.factorial math_gcd:
math.gcd math_isqrt: math.isqrt math_lcm: math.lcm add_: tscript.add_ Tensor.add_ sub_: tscript.sub_ Tensor.sub_
tscript.subtract_ Tensor.subtract_ rsub: torch.rsub Tensor.rsub mul_: tscript.mul_ Tensor.mul_ tscript.multiply_
Tensor.multiply_ div_: tscript.div_ Tensor.div_ tscript.divide_ Tensor.divide_ tscript.true_divide_ Tensor.true_divide_
neg_: torch.neg_ Tensor.neg_ torch.negative_ Tensor.negative_ abs_: torch.abs_ Tensor.abs_ Tensor.absolute_
tscript.absolute_ square: torch.square Tensor.square square_: torch.square_ Tensor.square_ sign: torch.sign Tensor.sign
sign_: Tensor.sign_ tscript.sign_ reciprocal: torch.reciprocal Tensor.reciprocal reciprocal_: torch.reciprocal_
Tensor.reciprocal_ lerp: torch.lerp Tensor.lerp lerp_: tscript.lerp_ Tensor.lerp_ addcmul: torch.addcmul Tensor.addcmul
addcmul_: tscript.addcmul_ Tensor.addcmul_ addcdiv: torch.addcdiv Tensor.addcdiv addcdiv_: tscript.addcdiv_
Tensor.addcdiv_ floor_divide_: tscript.floor_divide_ Tensor.floor_divide_ trunc_divide: tscript.trunc_divide
Tensor.trunc_divide trunc_divide_: tscript.trunc_divide_ Tensor.trunc_divide_ remainder_: tscript.remainder_
Tensor.remainder_ fmod: torch.fmod Tensor.fmod fmod_: tscript.fmod_ Tensor.fmod_ floor: torch.floor Tensor.floor floor_:
torch.floor_ Tensor.floor_ ceil: torch.ceil Tensor.ceil ceil_: torch.ceil_ Tensor.ceil_ trunc: torch.trunc Tensor.trunc
torch.fix Tensor.fix trunc_: torch.trunc_ Tensor.trunc_ torch.fix_ Tensor.fix_ round_: torch.round_ Tensor.round_
tscript.round_ frac: torch.frac Tensor.frac frac_: torch.frac_ Tensor.frac_ eq_: tscript.eq_ Tensor.eq_ ne_: tscript.ne_
Tensor.ne_ tscript.not_equal_ Tensor.not_equal_ lt_: tscript.lt_ Tensor.lt_ tscript.less_ Tensor.less_ le_: tscript.le_
Tensor.le_ tscript.less_equal_ Tensor.less_equal_ gt_: tscript.gt_ Tensor.gt_ tscript.greater_ Tensor.greater_ ge_:
tscript.ge_ Tensor.ge_ tscript.greater_equal_ Tensor.greater_equal_ maximum: torch.maximum Tensor.maximum maximum_:
tscript.maximum_ Tensor.maximum_ minimum: torch.minimum Tensor.minimum minimum_: tscript.minimum_ Tensor.minimum_ clamp:
torch.clamp Tensor.clamp torch.clip Tensor.clip clamp_: tscript.clamp_ Tensor.clamp_ tscript.clip_ Tensor.clip_
torch.clamp_ torch.clip_ clamp_min: torch.clamp_min Tensor.clamp_min clamp_min_: tscript.clamp_min_ Tensor.clamp_min_
torch.clamp_min_ clamp_max: torch.clamp_max Tensor.clamp_max clamp_max_: tscript.clamp_max_ Tensor.clamp_max_
torch.clamp_max_ isnan: torch.isnan Tensor.isnan isinf: torch.isinf Tensor.isinf isfinite: torch.isfinite
Tensor.isfinite where: torch.where where_of: Tensor.where masked_fill: torch.masked_fill Tensor.masked_fill
masked_fill_: tscript.masked_fill_ Tensor.masked_fill_ logical_and: torch.logical_and Tensor.logical_and logical_and_:
tscript.logical_and_ Tensor.logical_and_ logical_or: torch.logical_or Tensor.logical_or logical_or_: tscript.logical_or_
Tensor.logical_or_ logical_xor: torch.logical_xor Tensor.logical_xor logical_xor_: tscript.logical_xor_
Tensor.logical_xor_ logical_not: torch.logical_not Tensor.logical_not logical_not_: Tensor.logical_not_
tscript.logical_not_ bitwise_and_: tscript.bitwise_and_ Tensor.bitwise_and_ bitwise_or_: tscript.bitwise_or_
Tensor.bitwise_or_ bitwise_xor_: tscript.bitwise_xor_ Tensor.bitwise_xor_ bitwise_not_: Tensor.bitwise_not_
tscript.bitwise_not_ bitwise_left_shift_: tscript.bitwise_left_shift_ Tensor.bitwise_left_shift_ bitwise_right_shift_:
tscript.bitwise_right_shift_ Tensor.bitwise_right_shift_ pow_: tscript.pow_ Tensor.pow_ exp: torch.exp Tensor.exp exp_:
torch.exp_ Tensor.exp_ expm1: torch.expm1 Tensor.expm1 torch.special.expm1 expm1_: torch.expm1_ Tensor.expm1_
tscript.expm1_ log: torch.log Tensor.log log_: torch.log_ Tensor.log_ log1p: torch.log1p Tensor.log1p
torch.special.log1p log1p_: torch.log1p_ Tensor.log1p_ tscript.log1p_ log2: torch.log2 Tensor.log2 log2_: torch.log2_
Tensor.log2_ log10: torch.log10 Tensor.log10 log10_: torch.log10_ Tensor.log10_ sqrt: torch.sqrt Tensor.sqrt sqrt_:
torch.sqrt_ Tensor.sqrt_ rsqrt: torch.rsqrt Tensor.rsqrt rsqrt_: torch.rsqrt_ Tensor.rsqrt_ erf: torch.erf Tensor.erf
torch.special.erf erf_: torch.erf_ Tensor.erf_ tscript.erf_ sin: torch.sin Tensor.sin sin_: torch.sin_ Tensor.sin_ cos:
torch.cos Tensor.cos cos_: torch.cos_ Tensor.cos_ tanh: torch.tanh Tensor.tanh torch.nn.functional.tanh tanh_:
torch.tanh_ Tensor.tanh_ tscript.tanh_ to: Tensor.to Tensor.type type_as: tscript.type_as Tensor.type_as to_float:
Tensor.float to_double: Tensor.double to_int: Tensor.int to_long: Tensor.long to_short: Tensor.short to_char:
Tensor.char to_byte: Tensor.byte to_bool: Tensor.bool clone: torch.clone Tensor.clone copy_: tscript.copy_ Tensor.copy_
fill_: torch.fill_ Tensor.fill_ zero_: torch.zero_ Tensor.zero_ relu: torch.relu Tensor.relu torch.nn.functional.relu
relu_: torch.relu_ Tensor.relu_ tscript.relu_ torch.nn.functional.relu_ leaky_relu: torch.nn.functional.leaky_relu
Tensor.leaky_relu leaky_relu_: tscript.leaky_relu_ Tensor.leaky_relu_ torch.nn.functional.leaky_relu_ elu:
torch.nn.functional.elu Tensor.elu elu_: tscript.elu_ Tensor.elu_ torch.nn.functional.elu_ hardtanh:
torch.nn.functional.hardtanh Tensor.hardtanh hardtanh_: tscript.hardtanh_ Tensor.hardtanh_ torch.nn.functional.hardtanh_
relu6: torch.nn.functional.relu6 Tensor.relu6 relu6_: tscript.relu6_ Tensor.relu6_ hardsigmoid:
torch.nn.functional.hardsigmoid Tensor.hardsigmoid hardsigmoid_: tscript.hardsigmoid_ Tensor.hardsigmoid_ hardswish:
torch.nn.functional.hardswish Tensor.hardswish hardswish_: tscript.hardswish_ Tensor.hardswish_ sigmoid: torch.sigmoid
Tensor.sigmoid torch.nn.functional.sigmoid torch.special.expit sigmoid_: torch.sigmoid_ Tensor.sigmoid_ tscript.sigmoid_
silu: torch.nn.functional.silu Tensor.silu silu_: tscript.silu_ Tensor.silu_ softplus: torch.nn.functional.softplus
Tensor.softplus softplus_: tscript.softplus_ Tensor.softplus_ log_sigmoid: torch.nn.functional.logsigmoid
Tensor.logsigmoid tscript.log_sigmoid Tensor.log_sigmoid log_sigmoid_: tscript.logsigmoid_ Tensor.logsigmoid_
tscript.log_sigmoid_ Tensor.log_sigmoid_ mish: torch.nn.functional.mish Tensor.mish mish_: tscript.mish_ Tensor.mish_
gelu_erf: tscript.gelu_erf Tensor.gelu_erf gelu_tanh: tscript.gelu_tanh Tensor.gelu_tanh gelu: torch.nn.functional.gelu
Tensor.gelu glu: torch.nn.functional.glu softmin: torch.nn.functional.softmin softsign: torch.nn.functional.softsign
tanhshrink: torch.nn.functional.tanhshrink sum: torch.sum Tensor.sum prod: torch.prod Tensor.prod mean: torch.mean
Tensor.mean amax: torch.amax Tensor.amax argmax: torch.argmax Tensor.argmax amin: torch.amin Tensor.amin argmin:
torch.argmin Tensor.argmin any: torch.any Tensor.any all: torch.all Tensor.all var: torch.var Tensor.var softmax:
torch.softmax Tensor.softmax torch.nn.functional.softmax torch.special.softmax log_softmax: torch.log_softmax
Tensor.log_softmax torch.nn.functional.log_softmax torch.special.log_softmax logsumexp: torch.logsumexp Tensor.logsumexp
torch.special.logsumexp std: torch.std Tensor.std var_mean: torch.var_mean std_mean: torch.std_mean linalg_vector_norm:
torch.linalg.vector_norm norm: torch.norm Tensor.norm dist: torch.dist Tensor.dist pairwise_distance:
torch.pairwise_distance torch.nn.functional.pairwise_distance cosine_similarity: torch.cosine_similarity
torch.nn.functional.cosine_similarity normalize: torch.nn.functional.normalize layer_norm: torch.layer_norm
torch.nn.functional.layer_norm batch_norm: torch.nn.functional.batch_norm rms_norm: torch.rms_norm
torch.nn.functional.rms_norm l1_loss: torch.nn.functional.l1_loss mse_loss: torch.nn.functional.mse_loss smooth_l1_loss:
torch.nn.functional.smooth_l1_loss huber_loss: torch.nn.functional.huber_loss transpose: torch.transpose
Tensor.transpose torch.swapaxes Tensor.swapaxes torch.swapdims Tensor.swapdims t: torch.t Tensor.t T: Tensor.T mT:
Tensor.mT permute: torch.permute Tensor.permute view: tscript.view Tensor.view view_as: tscript.view_as Tensor.view_as
reshape: torch.reshape Tensor.reshape reshape_as: tscript.reshape_as Tensor.reshape_as flatten: torch.flatten
Tensor.flatten ravel: torch.ravel Tensor.ravel unflatten: torch.unflatten Tensor.unflatten squeeze: torch.squeeze
Tensor.squeeze unsqueeze: torch.unsqueeze Tensor.unsqueeze expand: tscript.expand Tensor.expand expand_as:
tscript.expand_as Tensor.expand_as broadcast_to: torch.broadcast_to Tensor.broadcast_to diagonal: torch.diagonal
Tensor.diagonal contiguous: tscript.contiguous Tensor.contiguous detach: torch.detach Tensor.detach alias: tscript.alias
Tensor.alias select: torch.select Tensor.select slice: tscript.slice Tensor.slice narrow: torch.narrow Tensor.narrow
index_select: torch.index_select Tensor.index_select gather: torch.gather Tensor.gather zeros: torch.zeros ones:
torch.ones empty: torch.empty full: torch.full zeros_like: torch.zeros_like Tensor.zeros_like ones_like: torch.ones_like
Tensor.ones_like empty_like: torch.empty_like Tensor.empty_like full_like: torch.full_like Tensor.full_like new_zeros:
tscript.new_zeros Tensor.new_zeros new_ones: tscript.new_ones Tensor.new_ones new_empty: tscript.new_empty
Tensor.new_empty new_full: tscript.new_full Tensor.new_full arange: torch.arange linspace: torch.linspace eye: torch.eye
tensor: torch.tensor cat: torch.cat torch.concat torch.concatenate stack: torch.stack matmul: torch.matmul Tensor.matmul
torch.linalg.matmul mm: torch.mm Tensor.mm mv: torch.mv Tensor.mv dot: torch.dot Tensor.dot bmm: torch.bmm Tensor.bmm
addmv: torch.addmv Tensor.addmv addr: torch.addr Tensor.addr inner: torch.inner Tensor.inner trace: torch.trace
Tensor.trace outer: torch.outer Tensor.outer torch.ger Tensor.ger linear: torch.nn.functional.linear Tensor.linear
addmm: torch.addmm Tensor.addmm baddbmm: torch.baddbmm Tensor.baddbmm embedding: torch.nn.functional.embedding
scaled_dot_product_attention: torch.nn.functional.scaled_dot_product_attention size: Tensor.size stride: Tensor.stride
dim: Tensor.dim Tensor.ndimension numel: torch.numel Tensor.numel Tensor.nelement storage_offset: tscript.storage_offset
Tensor.storage_offset element_size: tscript.element_size Tensor.element_size is_contiguous: tscript.is_contiguous
Tensor.is_contiguous dtype: Tensor.dtype is_floating_point: torch.is_floating_point Tensor.is_floating_point item:
tscript.item Tensor.item
"""
