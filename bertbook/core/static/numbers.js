const NAMES={__proto__:null,e:Math.E,pi:Math.PI,π:Math.PI,ln:Math.log,log:Math.log,log2:Math.log2,
log10:Math.log10,sqrt:Math.sqrt,'√':Math.sqrt,exp:Math.exp,sin:Math.sin,cos:Math.cos};
const SCALES={__proto__:null,k:1e3,thousand:1e3,m:1e6,million:1e6,billion:1e9};
const calculate=(text,isWide)=>{
const left=text.match(/(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|log10|log2|[a-zπ]+|\S/g)||[];
const take=sign=>left[0]===sign&&left.shift();
const sum=()=>{let x=product();
for(;;)if(take('+'))x+=product();else if(take('-'))x-=product();else return x};
const product=()=>{let x=factor();
for(;;)if(take('*'))x*=factor();else if(take('/'))x/=factor();
else if(/^[a-zπ√(]/.test(left[0]||''))x*=power();else return x};
const factor=()=>take('-')?-factor():take('+')?factor():power();
const power=()=>{let x=atom();if(take('%'))x/=100;return take('^')?x**factor():x};
const atom=()=>{if(take('(')){const x=sum();return take(')')?x:NaN}
const token=left.shift(),known=NAMES[token];
if(typeof known!=='function')return known||+token;
return known(left[0]==='('?atom():isWide?product():factor())};
const x=left.length&&left.length<99?sum():NaN;return left.length?NaN:x};
const tidyNumber=text=>{const plain=text.replace(/[⁰¹²³⁴-⁹⁺⁻]+/g,'^$&').replace(/[¼-¾⅐-⅞]/g,' $&')
.normalize('NFKC').toLowerCase().split(/[=≈~]/).pop().replace(/[−–]/g,'-').replace(/\*\*/g,'^')
.replace(/[×·⋅∙]/g,'*').replace(/(\d) ?x ?(?=\d)/g,'$1*').replace(/[÷⁄]/g,'/')
.replace(/ ?per ?cent/,'%').replace(/[[\]]|[.\s]+$/g,'');
return /\(.*\)/.test(plain)?plain:plain.replace(/[()]/g,'')};
const readings=(text,target)=>{const plain=tidyNumber(text).trim();
const [,number,unit]=plain.match(/^(.*[\d)%])\s*([a-zμ€$°][a-zμ°\s./]*)$/)||[];
const values=text=>[text.replace(/(\d*),(?=\d)/g,'$1.'),
text.replace(/\b[1-9]\d{0,2}([,\s_'’]\d{3})+(?!\d)/g,s=>s.replace(/\D/g,''))]
.flatMap(t=>[calculate(t),calculate(t,true)]).filter(Number.isFinite);
const found=values(plain),bare=found.length||!number?[]:values(number);
const times=SCALES[(unit||'').split(' ')[0]];
if(times)bare.push(...bare.map(x=>x*times));
return found.concat(bare,/%$/.test(plain)&&Math.abs(target)>1?found.map(x=>x*100):[])};
